from __future__ import annotations

import json

import broadsheet
from broadsheet.api import PageInput
from broadsheet.models.weights import SHIPPED
from broadsheet.options import ExtractOptions
from broadsheet.server.tasks import PageTask, make_failed_answer


def test_a_method_that_the_weights_of_the_service_are_not_of() -> None:
    """The request fails, not the process: otherwise any client could end all processes of the service."""
    (weights,) = (SHIPPED / "visual").iterdir()
    options = ExtractOptions(method="visual", weights=str(weights))
    task = PageTask(PageInput(None, "<p>x"), changes={"method": "fusion", "fields": None})
    for answer in (task.make_answer(options), make_failed_answer(task, options, "lost")):
        assert answer.status == broadsheet.Status.FAILED
        assert json.loads(answer.record)["status"] == "failed"
