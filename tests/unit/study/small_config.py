"""A small valid config, and ways to change it."""

import copy

CONFIG = {
    "datasets": {"pdgmm": {"generator": "pdgmm"}},
    "experiments": {
        "t": {
            "title": "T",
            "dataset": "pdgmm",
            "methods": ["identity", "fastica"],
            "seeds": [0, 1],
        }
    },
}


def changed(path, value):
    """The valid config above with one value, found by a dotted path, replaced."""
    config = copy.deepcopy(CONFIG)
    *parents, last = path.split("/")
    inner = config
    for key in parents:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return config
