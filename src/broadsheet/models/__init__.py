"""Trained models as folders of plain arrays, and the code that runs them with NumPy only."""

from broadsheet.models.forest import Forest, Tree, build_forest, read_forest
from broadsheet.models.weights import Weights, load_weights, save_weights

__all__ = ["Forest", "Tree", "Weights", "build_forest", "load_weights", "read_forest", "save_weights"]
