"""Plans of tables, as the workflow hands them to the steps."""

BASE = {"n": 10, "k": 1, "m": 10, "rho": 0.5, "delta": 0, "theta": 0}
"""The base setting of the paper."""


def method(chain, **changes):
    """A method of a plan."""
    ours = any(part in chain for part in ("flow", "spike_slab"))
    default = {
        "shown": chain,
        "kind": chain,
        "setting": {},
        "size": "",
        "sizes": [""] * len(chain.split("+")),
        "reduced": "",
        "told": [],
    }
    return {"name": chain, **default, "role": "ours" if ours else "baseline", **changes}


def plan(name, datasets, methods, **changes):
    """A plan; methods are chains or whole entries."""
    default = {"note": "", "cost": False, "published_table": None, "varied": [], "seeds": [0], "graphs": []}
    default |= {"between_fits": False, "curves": []}
    return {
        "name": name,
        "title": name.capitalize(),
        **default,
        "datasets": [{"name": dataset} for dataset in datasets],
        "methods": [method(one) if isinstance(one, str) else one for one in methods],
        **changes,
    }
