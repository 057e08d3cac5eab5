"""The boxes of a page's nodes: the browser's if the page was rendered, otherwise estimated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from broadsheet.page import Page
from broadsheet.style.css.lengths import VIEWPORT_HEIGHT_PX, VIEWPORT_WIDTH_PX
from broadsheet.style.css.styles import Styles
from broadsheet.style.layout.flow import Flow
from broadsheet.style.layout.properties import LAYOUT_PROPERTIES
from broadsheet.style.layout.sizes import MAX_SIZE_PX

Column = npt.NDArray[np.float32]

_MAX_PAGE_WIDTH_PX = 4 * VIEWPORT_WIDTH_PX


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """One box per row of the node table, in pixels from the top left corner of the page; 0 by 0 if it is not shown."""

    x: Column
    y: Column
    width: Column
    height: Column
    page_width: float
    page_height: float


def find_boxes(page: Page, styles: Styles) -> Boxes:
    """Return the boxes of all rows: the browser's if the page was rendered, otherwise estimates."""
    rendering = page.rendering
    if rendering is not None:
        x, y, width, height = map(_to_column, (rendering.x, rendering.y, rendering.width, rendering.height))
        return Boxes(x, y, width, height, rendering.page_width, rendering.page_height)
    flow = Flow(page, styles, styles.cascade.match(LAYOUT_PROPERTIES))
    bottom = flow.run()
    x, y, width, height = map(_to_column, (flow.x, flow.y, flow.width, flow.height))
    y, height = np.minimum(y, np.float32(MAX_SIZE_PX)), np.minimum(height, np.float32(MAX_SIZE_PX))
    right = float((x + width).max()) if len(x) else 0.0
    page_width = min(max(VIEWPORT_WIDTH_PX, right), _MAX_PAGE_WIDTH_PX)
    return Boxes(x, y, width, height, page_width, max(VIEWPORT_HEIGHT_PX, bottom))


def _to_column(values: object) -> Column:
    return np.asarray(values, dtype=np.float32)
