"""Trained models as folders of plain arrays, and the code that runs them with NumPy only."""

from broadsheet.models.forest import DecisionTree, Forest, build_forest, read_forest
from broadsheet.models.weights import Weights, load_weights, save_weights

__all__ = ["DecisionTree", "Forest", "Weights", "build_forest", "load_weights", "read_forest", "save_weights"]
