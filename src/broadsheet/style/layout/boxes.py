"""Where things stand on the page: a browser's boxes, or an estimate of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from broadsheet.page import Page
from broadsheet.style.css.cascade import Cascade
from broadsheet.style.css.declarations import LAYOUT
from broadsheet.style.css.lengths import SCREEN_HEIGHT, SCREEN_WIDTH
from broadsheet.style.css.styles import ComputedStyles, Styles
from broadsheet.style.layout.flow import Flow
from broadsheet.style.layout.sizes import MOST

Column = npt.NDArray[np.float32]

_WIDEST = 4 * SCREEN_WIDTH  # of a page, whatever sticks out of it


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """One box per row of the node table, in pixels from the top left of the page; 0 by 0 for what is not shown."""

    x: Column
    y: Column
    width: Column
    height: Column
    page_width: float
    page_height: float


def find_boxes(page: Page, styles: Styles) -> Boxes:
    """Find the box of every row: the browser's where the page was rendered, otherwise an estimate."""
    rendering = page.rendering
    if rendering is not None:
        x, y, width, height = map(_as_column, (rendering.x, rendering.y, rendering.width, rendering.height))
        return Boxes(x, y, width, height, rendering.page_width, rendering.page_height)
    cascade = styles.cascade if isinstance(styles, ComputedStyles) else Cascade(page)
    flow = Flow(page, styles, cascade.apply(LAYOUT, with_defaults=False))
    bottom = flow.run()
    x, y, width, height = (_as_column(values) for values in (flow.x, flow.y, flow.width, flow.height))
    y, height = np.minimum(y, np.float32(MOST)), np.minimum(height, np.float32(MOST))
    right = float((x + width).max()) if len(x) else 0.0
    return Boxes(x, y, width, height, min(max(SCREEN_WIDTH, right), _WIDEST), max(SCREEN_HEIGHT, bottom))


def _as_column(values: object) -> Column:
    return np.asarray(values, dtype=np.float32)
