"""How do the latents cause each other?"""

from pdgmm.analysis.page.causes_figure import MOST_EDGE_LABELS, draw_causes
from pdgmm.analysis.answers import Diagnostics, Edge
from pdgmm.analysis.page.page_parts import Picture, Row, Section, Table
from pdgmm.analysis.page.verdicts import STABLE_FROM, graph_verdict
from pdgmm.analysis.wording import count_of, latent_heading, number, percent

BADGES = {"holds": "Stable", "doubtful": "Doubtful", "violated": "Not reliable", "unknown": "Not checked"}


def graph_section(found: Diagnostics) -> Section:
    verdict = graph_verdict(found)
    return Section(
        anchor="graph",
        question="How do they cause each other?",
        verdict=verdict,
        badge=BADGES[verdict],
        sentence=found.graph.sentence,
        remarks=_remarks(found),
        pictures=(_picture(found),) if found.n_latents > 1 else (),
        tables=(_edges_table(found),) if found.graph.edges else (),
    )


def _remarks(found: Diagnostics) -> tuple[str, ...]:
    graph = found.graph
    if found.n_latents < 2:
        return ("A graph needs at least two latents.",)
    how = [f"method {graph.method}"]
    how += [] if graph.alpha is None else [f"significance level {graph.alpha:g}"]
    how += [] if graph.samples is None else [count_of(graph.samples, "row")]
    remarks = [
        f"Found with {', '.join(how)}. Stability is how often an edge was found again in repetitions; "
        f"from {percent(STABLE_FROM)} on it counts as stable."
    ]
    remarks.append(
        "The graph is right only if the latents are, and if no common cause of them is missing: "
        "take its arrows as hypotheses, to be tested by an intervention."
    )
    return tuple(remarks)


def _ends_trusted(edge: Edge, found: Diagnostics) -> bool:
    return {edge.begin, edge.end} <= found.trusted


def _picture(found: Diagnostics) -> Picture:
    edges = found.graph.edges
    directed = sum(edge.directed for edge in edges)
    if edges:
        known = [edge for edge in edges if edge.stability is not None]
        seen = (
            f"{count_of(directed, 'arrow')} and {count_of(len(edges) - directed, 'edge')} without direction"
        )
        if known:
            most = max(known, key=lambda edge: edge.stability)
            seen += (
                f"; the most stable joins latents {most.begin} and {most.end}, found in "
                f"{percent(most.stability)} of the repetitions"
            )
        unsure = sum(not _ends_trusted(edge, found) for edge in edges)
        seen += f". {unsure} dashed in grey, as an end cannot be trusted" if unsure else ""
    else:
        seen = "no edges"
    number_label = ", and the number on it the stability" if 0 < len(edges) <= MOST_EDGE_LABELS else ""
    return Picture(
        "graph",
        "Causes and effects",
        draw_causes(edges, found.n_latents, found.trusted),
        f"Graph of {count_of(found.n_latents, 'latent')} on a circle with {seen}.",
        "An arrow goes from cause to effect; for a line without arrowhead the data do not tell the direction. The "
        f"wider an edge, the more stable{number_label}. Grey, dashed and with a question mark: not to be trusted.",
    )


def _edges_table(found: Diagnostics) -> Table:
    ordered = sorted(found.graph.edges, key=lambda edge: (-(edge.stability or 0.0), edge.begin, edge.end))
    rows = tuple(
        Row(
            (
                latent_heading(edge.begin, found.trusted),
                "causes" if edge.directed else "joined, direction unknown",
                latent_heading(edge.end, found.trusted),
                number(edge.stability),
                "yes" if _ends_trusted(edge, found) else "no",
            ),
            _ends_trusted(edge, found),
        )
        for edge in ordered
    )
    return Table(
        "Edges, the most stable first",
        ("Latent", "Edge", "Latent", "Stability", "Both latents trusted"),
        rows,
    )
