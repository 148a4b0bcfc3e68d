"""A made-up household: appliances that are off or on, read by twelve meters every minute.

``python benchmarks/household/household.py meters.csv --seed 0`` writes what the meters read, and with ``--truth
appliances.csv`` what every appliance drew, which nothing that is fitted reads.

Appliance ``i`` draws ``z_i(t)`` watts in minute ``t``, exactly 0 while it is off. Each of three phases has four
meters: active power (W), reactive power (var), and the third harmonic of the current, in phase with the voltage and
a quarter of a period later (A). All four add up over the appliances of a phase, and for one appliance the ratios
between them are the same whatever it draws: ``x(t) = A z(t) + noise`` with a matrix ``A`` (12, appliances).
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from schedules import DAY, Use, after, cycles, uses
from scipy.signal import lfilter

from pdgmm.seeds import child_generator

UNITS = ("W", "var", "h3 cos A", "h3 sin A")
METERS = tuple(f"L{phase} {unit}" for phase in (1, 2, 3) for unit in UNITS)

NOISE = (1.0, 1.0, 0.003, 0.003)
"""Standard deviation of a meter's error, in its unit."""

DAYS = 28
START = "2026-01-05"
"""A Monday."""

CHANGE = 10.0
"""Minutes after which the deviations of an appliance's power still have a correlation of 1 / e."""


@dataclass(frozen=True)
class Appliance:
    """What an appliance draws while it is on, and what the meters see of each watt.

    ``watts`` are the mean of its power and the standard deviation around it. ``phases`` are the shares of its power
    on the three phases, ``reactive`` is in var for each watt, ``harmonic`` in mA for each watt as a complex number.
    """

    watts: tuple[float, float]
    phases: tuple[float, float, float]
    reactive: float
    harmonic: complex

    def signature(self) -> np.ndarray:
        """(12,) what every meter sees of one watt."""
        of_a_phase = [1.0, self.reactive, self.harmonic.real / 1000, self.harmonic.imag / 1000]
        return np.outer(self.phases, of_a_phase).ravel()

    def power(self, rng: np.random.Generator, minutes: int) -> np.ndarray:
        """(minutes,) what it would draw if it were always on: Gaussian, cut off at a tenth of the mean."""
        kept = np.exp(-1 / CHANGE)
        pushes = rng.standard_normal(minutes) * np.sqrt(1 - kept**2)
        mean, deviation = self.watts
        return np.maximum(mean + deviation * lfilter([1.0], [1.0, -kept], pushes), 0.1 * mean)


L1, L2, L3 = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

APPLIANCES = {
    "fridge": Appliance((85, 12), L1, 0.62, 0.35 - 0.2j),
    "television": Appliance((110, 25), L1, -0.18, 0.5 + 0.9j),
    "computer": Appliance((140, 40), L1, -0.08, 1.4 - 0.4j),
    "kettle": Appliance((1950, 90), L2, 0.0, 0.0),
    "lights": Appliance((70, 22), L2, -0.4, 2.6 + 1.2j),
    "cooker hood": Appliance((130, 30), L2, 0.75, 0.5 + 0.1j),
    "washing machine": Appliance((330, 90), L3, 0.55, 0.8 - 0.7j),
    "hob": Appliance((1300, 350), L3, 0.1, -0.3 + 0.2j),
    "heat pump": Appliance((1100, 280), (1 / 3, 1 / 3, 1 / 3), 0.22, 0.6 + 0.5j),
    "always on": Appliance((95, 9), (0.5, 0.3, 0.2), -0.3, 1.1 + 0.3j),
}
"""``always on``: router, chargers and standby. It never rests."""

SWITCHED = tuple(name for name in APPLIANCES if name != "always on")


@dataclass(frozen=True)
class Household:
    """What was drawn, a row a minute: ``meters`` in their units, ``appliances`` in watts."""

    meters: pd.DataFrame
    appliances: pd.DataFrame


def draw(
    seed: int, days: int = DAYS, noise: float = 1.0, changed: Mapping[str, Appliance] = MappingProxyType({})
) -> Household:
    """The household of ``seed``; its meters err ``noise`` times as much as :data:`NOISE` says.

    Appliances in ``changed`` take the place of those of the same name.
    """
    present = APPLIANCES | dict(changed)
    on = schedules(seed, days)
    watts = {
        name: on[name] * appliance.power(child_generator(seed, "power", name), days * DAY)
        for name, appliance in present.items()
    }
    times = pd.date_range(START, periods=days * DAY, freq="min", name="time")
    appliances = pd.DataFrame(watts, index=times)
    mixing = np.stack([appliance.signature() for appliance in present.values()])
    errors = child_generator(seed, "meters").standard_normal((len(times), len(METERS))) * (NOISE * 3)
    meters = pd.DataFrame(appliances.to_numpy() @ mixing + noise * errors, index=times, columns=METERS)
    return Household(meters, appliances)


def schedules(seed: int, days: int) -> dict[str, np.ndarray]:
    """When every appliance is on, (minutes,) each. Meals, evenings and washdays make some of them go together."""

    def rng(name: str) -> np.random.Generator:
        return child_generator(seed, "schedule", name)

    hob = uses(
        rng("hob"),
        days,
        [Use(7.3, 20, 0.3, (5, 12)), Use(12.5, 30, 0.5, (15, 40)), Use(18.7, 30, 0.9, (20, 60))],
    )
    cups = [
        (6.9, 0.95),
        (8.5, 0.6),
        (10.5, 0.7),
        (13.2, 0.6),
        (15.8, 0.8),
        (17.5, 0.5),
        (20.3, 0.8),
        (22.0, 0.4),
    ]
    dark = [Use(6.6, 15, 0.9, (45, 90)), Use(17.2, 25, 1.0, (240, 350)), Use(2.8, 60, 0.3, (4, 10))]
    return {
        "fridge": cycles(rng("fridge"), days, (12, 20), (24, 38)),
        "television": uses(
            rng("television"), days, [Use(13.5, 60, 0.25, (30, 90)), Use(20.0, 35, 0.9, (70, 180))]
        ),
        "computer": uses(
            rng("computer"), days, [Use(9.0, 30, 0.75, (120, 240)), Use(15.0, 60, 0.7, (60, 200))]
        ),
        "kettle": uses(rng("kettle"), days, [Use(hour, 20, chance, (3, 5)) for hour, chance in cups]),
        "lights": uses(rng("lights"), days, dark),
        # It is switched on when steam rises and forgotten for a while after the meal, or airs the kitchen.
        "cooker hood": after(rng("cooker hood"), hob, 0.65, (2, 10), (5, 30))
        | uses(rng("airing"), days, [Use(15.5, 150, 0.4, (5, 25))]),
        "washing machine": uses(rng("washing machine"), days, [Use(10.0, 120, 0.5, (60, 110))]),
        "hob": hob,
        "heat pump": cycles(rng("heat pump"), days, (20, 45), (30, 110)),
        "always on": np.ones(days * DAY, dtype=bool),
    }


def write(household: Household, meters: Path, truth: Path | None = None) -> None:
    """Two CSV files. Meters print hundredths of a watt and of a milliampere."""
    digits = {meter: 5 if meter.endswith("A") else 2 for meter in METERS}
    household.meters.round(digits).to_csv(meters, index=False)
    if truth:
        household.appliances.round(2).to_csv(truth)


def main() -> None:
    """Write the tables that the command line asks for."""
    parser = argparse.ArgumentParser(description="A household's meters as a CSV file, a row a minute.")
    parser.add_argument("meters", type=Path, help="the file to write")
    parser.add_argument("--truth", type=Path, help="also write what every appliance drew")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--days", type=int, default=DAYS)
    arguments = parser.parse_args()
    write(draw(arguments.seed, arguments.days), arguments.meters, arguments.truth)


if __name__ == "__main__":
    main()
