"""YAML in which no key is repeated: of two equal ones YAML's readers keep the last, and say nothing."""

from typing import Any

import yaml

from pdgmm.errors import UserError

_MERGE = "tag:yaml.org,2002:merge"


def parse_yaml(text: str) -> Any:
    """The content of ``text``; a repeated key is a :class:`UserError` that names its lines."""
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_repeated_keys(node)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_repeated_keys(root: yaml.Node) -> None:
    # On nodes, since what is built from them has lost the repetitions. Anchors make them a graph, not a tree.
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
            continue
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            waiting.extend((key, value))
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                name, line = (key.tag, key.value), key.start_mark.line + 1
                if name in lines:
                    raise UserError(_repeated(key.value, lines[name], line))
                lines[name] = line


def _repeated(key: str, first: int, second: int) -> str:
    where = f"in line {first} and in line {second}" if first != second else f"twice in line {first}"
    return f"the key `{key}` stands {where}, and only the last would count. Join the two or leave one out"
