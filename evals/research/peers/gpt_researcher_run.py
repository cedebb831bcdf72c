"""One research of gpt-researcher in a closed world: its usual settings, our search, our pages, our scripted model.

Reads RESEARCH_BASE_URL, RESEARCH_QUESTION, RESEARCH_MODE (`research_report` or `deep`); writes RESEARCH_REPORT.
"""

import asyncio
import os

BASE = os.environ["RESEARCH_BASE_URL"]
os.environ.update(
    OPENAI_API_KEY="simulated",
    OPENAI_BASE_URL=BASE + "/v1",
    FAST_LLM="openai:gpt-4o-mini",
    SMART_LLM="openai:gpt-4o",
    STRATEGIC_LLM="openai:gpt-4o-mini",
    EMBEDDING="openai:text-embedding-3-small",
    # Without it the client sends tokens instead of text, and would have to download a vocabulary.
    EMBEDDING_KWARGS='{"check_embedding_ctx_length": false}',
    # Below this many characters it hands pages on without their addresses, and nothing could be cited.
    COMPRESSION_THRESHOLD="0",
    # The simulator's embeddings compare words; the usual threshold is meant for a language model's.
    SIMILARITY_THRESHOLD="0.05",
    RETRIEVER="searx",
    SEARX_URL=BASE + "/search-api/searxng",
    # Pages of the closed world are behind the simulator, chosen by their host.
    HTTP_PROXY=BASE,
    http_proxy=BASE,
    NO_PROXY="127.0.0.1,localhost",
    no_proxy="127.0.0.1,localhost",
    LANGCHAIN_TRACING_V2="false",
    ANONYMIZED_TELEMETRY="false",
)

import tiktoken  # noqa: E402


class FixedEncoding:
    """Stands in for the vocabulary that cannot be downloaded here; it only cuts context to size."""

    name = "fixed"

    def encode(self, text, **_):
        return list(range(max(1, len(text) // 4)))

    def decode(self, tokens):
        return "x" * 4 * len(tokens)


tiktoken.get_encoding = lambda _: FixedEncoding()
tiktoken.encoding_for_model = lambda _: FixedEncoding()

from gpt_researcher import GPTResearcher  # noqa: E402
from gpt_researcher.retrievers.searx import searx  # noqa: E402

# It takes a result whose snippet is longer than 100 characters for the page itself, without its address, and opens
# nothing. Search engines' snippets are longer; ours are cut so that it reads pages and can cite them.
SNIPPET_CHARACTERS = 90
search = searx.SearxSearch.search


def search_with_short_snippets(self, *arguments, **options):
    results = search(self, *arguments, **options)
    return [{**result, "body": (result.get("body") or "")[:SNIPPET_CHARACTERS]} for result in results]


searx.SearxSearch.search = search_with_short_snippets


async def research():
    researcher = GPTResearcher(
        query=os.environ["RESEARCH_QUESTION"], report_type=os.environ["RESEARCH_MODE"], verbose=False
    )
    await researcher.conduct_research()
    return await researcher.write_report()


with open(os.environ["RESEARCH_REPORT"], "w", encoding="utf-8") as file:
    file.write(asyncio.run(research()))
# Threads of its libraries would keep the process alive.
os._exit(0)
