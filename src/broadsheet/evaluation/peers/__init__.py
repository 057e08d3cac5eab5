"""Peers: other extractors, for comparison only. They are imported lazily, some in separate environments."""

from broadsheet.evaluation.peers.table import (
    PEERS,
    Peer,
    create_environments,
    find_environment_python,
    read_version,
)

__all__ = ["PEERS", "Peer", "create_environments", "find_environment_python", "read_version"]
