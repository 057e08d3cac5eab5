"""Articles as a dataset of the Hugging Face hub: a folder of Parquet files with a card, or a `datasets.Dataset`.

from broadsheet.integrations.huggingface import to_dataset, write_dataset
write_dataset(articles, "my-news")              # extra tables; datasets.load_dataset("my-news") reads it
dataset = to_dataset(articles)                  # extra datasets
"""

from broadsheet.integrations.huggingface.card import CardText as CardText
from broadsheet.integrations.huggingface.export import to_dataset as to_dataset
from broadsheet.integrations.huggingface.export import write_dataset as write_dataset

__all__ = ["CardText", "to_dataset", "write_dataset"]
