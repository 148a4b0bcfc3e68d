"""The checks that make sense for any method: agreement of fits, meaning, causal graph, and changes over domains."""

from collections.abc import Sequence

from pdgmm.analysis.answers import Count, Part
from pdgmm.analysis.diagnostics.domain_changes import domain_changes
from pdgmm.analysis.diagnostics.edges import latent_graph
from pdgmm.analysis.diagnostics.found_again import found_again
from pdgmm.analysis.diagnostics.sensitivity import regressed, sensitivity
from pdgmm.analysis.fitting.fitted_chain import FittedChain
from pdgmm.analysis.fitting.row_splits import Rows, compared_rows
from pdgmm.analysis.options import AnalysisOptions
from pdgmm.catalogue import JOINT


def for_method(count: Count, method: str, several_domains: bool) -> Count:
    """The number of latents as a method may read it: found by linear models with noise, which are not the method's.

    The conclusion on latents that rest, which are only a matter of the default fit, is left out. A number chosen for
    ``several_domains`` is doubtful, since their methods undo a bent mixing.
    """
    changed = {"non_gaussian": "unknown", "non_gaussian_sentence": ""}
    if several_domains and not count.asked:
        how = "Linear models were compared, inside domains: if the mixing is bent, there are probably fewer. Give "
        changed |= {"verdict": "doubtful", "sentence": f"{count.sentence} {how}--n-latents if you know it."}
    elif count.verdict != "unknown":
        how = f"Linear models with noise were compared, not {method}: a curved mixing can give them another number."
        changed["sentence"] = f"{count.sentence} {how}"
    return count.model_copy(update=changed)


def chain_checks(
    columns: Sequence[str],
    train: Rows,
    held_out: Rows,
    fits: Sequence[FittedChain],
    options: AnalysisOptions,
    domains: Sequence[str],
) -> dict[str, Part]:
    """The parts of the answers on a reference fit and the further fits of a chain."""
    reference, *refits = fits
    method = JOINT.join(options.chain)
    shared, seen_too = compared_rows(train, held_out, reference.n_latents_)
    latents = shared.latents(reference)
    inside = shared.inside_domains(latents)
    again = [shared.inside_domains(shared.latents(refit)) for refit in refits]
    decode = reference.inverse_transform if reference.decodes else regressed(latents, shared.x)
    meaning = sensitivity(decode, latents, shared.x, columns)
    if not reference.decodes:
        how = f"{method} cannot turn latents back into columns, so the columns were regressed on the latents."
        meaning = meaning.model_copy(update={"sentence": f"{how} {meaning.sentence}"})
    graph = latent_graph(inside, again, None, options.alpha, options.seed)
    checks: dict[str, Part] = {
        "identified": found_again(inside, again, method, seen_too),
        "meaning": meaning,
        "graph": graph,
    }
    if domains:
        how = f"{graph.sentence} The mean of each domain was subtracted before."
        checks["graph"] = graph.model_copy(update={"sentence": how})
        labelled = [(rows.latents(reference), rows.u) for rows in (train, held_out)]
        checks["domains"] = domain_changes(*labelled, options.domain_column, domains)
    return checks
