"""Load on the service, on this machine: python -m benchmarks.service_load --clients 50 --seconds 30

    python -m benchmarks.service_load --clients 50 --seconds 30 --attack      beside attackers

Starts `broadsheet serve`, sends one page from many clients at once, and probes /health meanwhile. Halfway a worker
process is killed. Reports answers, times, memory, and the CPU time a page: of the service beside plain `extract`, and
of its front, the process that answers requests. On a busy machine, CPU times mean more than answers per second.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import broadsheet

PAGE = Path(__file__).parents[1] / "examples" / "pages" / "harbour.html"
PAGE_BYTES = 150_000
PLAIN_PAGES = 100
HEALTH_PERIOD = 0.2  # seconds
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Results:
    """What the clients saw."""

    codes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # of accepted requests
    work_seconds: list[float] = field(default_factory=list)  # as the service states it
    health_seconds: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # bytes, of the service and its workers
    front_memory: list[int] = field(default_factory=list)  # of the process that answers requests


def make_page() -> bytes:
    """Return the sample page, enlarged by navigation, scripts and paragraphs as news pages have them."""
    page = PAGE.read_text("utf-8")
    head, body, tail = page.partition("</article>")
    number = 0
    extra = ""
    while len(head) + len(extra) + len(tail) < PAGE_BYTES:
        number += 1
        extra += (
            f'<div class="card"><a href="/news/{number}"><h3>Story {number} of the day</h3></a>'
            f'<p class="teaser">What the council decided on Monday, and why it matters to readers, part {number}.</p>'
            f'<script>window.slots.push({{"id": {number}, "size": [300, 250]}});</script></div>\n'
        )
    return (head + body + f'<section class="more">{extra}</section>' + tail).encode()


@contextlib.contextmanager
def start_service(workers: int, max_waiting: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start the service; yield the process and its port."""
    command = [sys.executable, "-m", "broadsheet", "serve", "--port", "0"]
    command += ["--workers", str(workers), "--max-waiting", str(max_waiting), "--log-level", "info"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = json.loads(process.stderr.readline())["address"]
        threading.Thread(target=process.stderr.read, daemon=True).start()  # the log must not fill its pipe
        yield process, int(address.rpartition(":")[2])
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def list_processes(pid: int) -> list[int]:
    """Return a process and its children."""
    threads = [Path(path, "children") for path in Path(f"/proc/{pid}/task").iterdir()]
    children = [child for path in threads for child in path.read_text().split()]
    return [pid, *map(int, children)]


def read_memory(pids: list[int]) -> int:
    """Return the resident memory of processes in bytes."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def read_cpu_seconds(pid: int, *, with_children: bool = True) -> float:
    """Return the CPU time of a process, and of its children, also those that have ended."""
    total = 0
    for process in list_processes(pid) if with_children else [pid]:
        with contextlib.suppress(OSError):
            values = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, values[11:15] if process == pid and with_children else values[11:13]))
    return total / TICKS


async def run_client(port: int, request: bytes, end: float, results: Results, address: str) -> None:
    """Send requests over one connection until the end; wait after a refusal as long as the service says."""
    reader = writer = None
    while time.monotonic() < end:
        started = time.monotonic()
        try:
            if writer is None or (reader and reader.at_eof()):  # the service closes connections that are idle
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            assert reader is not None
            writer.write(request)
            head, _ = await asyncio.gather(reader.readuntil(b"\r\n\r\n"), writer.drain())
            length = re.search(rb"content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError) as error:
            results.codes[type(error).__name__] += 1
            writer = None
            continue
        code = head[9:12].decode()
        results.codes[code] += 1
        if code == "200":
            results.seconds.append(time.monotonic() - started)
            timing = re.search(rb"extract;dur=([\d.]+)", head)
            results.work_seconds.append(float(timing[1]) / 1000 if timing else 0.0)
        else:
            retry_after = re.search(rb"retry-after: (\d+)", head)
            await asyncio.sleep(float(retry_after[1]) if retry_after else 1.0)
    if writer is not None:
        writer.close()


async def probe(port: int, process: subprocess.Popen[str], end: float, results: Results) -> None:
    """Measure /health and memory; kill a worker halfway."""
    kill_at = time.monotonic() + (end - time.monotonic()) / 2
    while time.monotonic() < end:
        started = time.monotonic()
        results.health_seconds.append(await measure_health(port))
        pids = list_processes(process.pid)
        results.memory.append(read_memory(pids))
        results.front_memory.append(read_memory(pids[:1]))
        if started > kill_at and len(pids) > 1:
            os.kill(pids[1], signal.SIGKILL)
            kill_at = end
        await asyncio.sleep(HEALTH_PERIOD)


async def measure_health(port: int) -> float:
    """Return the seconds of GET /health, measured by curl: this program is busy with its clients."""
    command = ["curl", "-s", "-o", os.devnull, "-w", "%{time_total}", f"http://127.0.0.1:{port}/health"]
    curl = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    return float((await curl.communicate())[0])


async def run_load(port: int, process: subprocess.Popen[str], clients: int, seconds: float) -> Results:
    """Run all clients and the probe."""
    page = make_page()
    head = f"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n"
    request = head.encode() + b"\r\n" + page
    results = Results()
    end = time.monotonic() + seconds
    loads = [run_client(port, request, end, results, f"127.0.1.{1 + number % 250}") for number in range(clients)]
    await asyncio.gather(probe(port, process, end, results), *loads)
    return results


def measure_plain(processes: int) -> float:
    """Return the CPU seconds that plain `extract` takes for the page in this many processes at once.

    One process alone is faster: cores share caches and execution units.
    """
    with ProcessPoolExecutor(processes) as pool:
        return mean(pool.map(measure_pages, range(processes)))


def measure_pages(_: int) -> float:
    """Return the CPU seconds of a page in this process."""
    page = make_page()
    for _ in range(5):
        broadsheet.extract(page)
    cpu = time.process_time()
    for _ in range(PLAIN_PAGES):
        broadsheet.extract(page).to_json()
    return (time.process_time() - cpu) / PLAIN_PAGES


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


@dataclass(frozen=True, slots=True)
class Cost:
    """Mean cost of a page, in seconds."""

    plain_cpu: float
    service_cpu: float
    front_cpu: float


def report(results: Results, cost: Cost, arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the report."""
    work = sum(results.work_seconds) / max(len(results.work_seconds), 1)
    bound = 4 * work * (arguments.workers + arguments.max_waiting) / arguments.workers
    memory = [size / 1e6 for size in results.memory[len(results.memory) // 4 :]]
    health = [1000 * seconds for seconds in results.health_seconds]
    yield f"  answers: {dict(results.codes)}; {len(results.seconds) / arguments.seconds:.1f} accepted per second"
    yield f"  accepted: p50 {quantile(results.seconds, 0.5):.3f} s, p99 {quantile(results.seconds, 0.99):.3f} s"
    yield f"  bound on p99: {bound:.2f} s (4 x service time of {work * 1000:.1f} ms x requests inside / workers)"
    yield f"  /health: p50 {quantile(health, 0.5):.1f} ms, p99 {quantile(health, 0.99):.1f} ms"
    yield f"  memory: {memory[0]:.0f} MB after a quarter, {memory[-1]:.0f} MB at the end, peak {max(memory):.0f} MB"
    front = [size / 1e6 for size in results.front_memory]
    yield f"  memory of the front: {front[0]:.0f} MB, {front[-1]:.0f} MB at the end, peak {max(front):.0f} MB"
    yield (
        f"  CPU a page: service {cost.service_cpu * 1000:.2f} ms, plain extract {cost.plain_cpu * 1000:.2f} ms: "
        f"{cost.plain_cpu / cost.service_cpu:.0%}; front {cost.front_cpu * 1000:.2f} ms"
    )


def compare_under_attack(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the figures of good clients, without and with attackers. Both get a new service."""
    seconds = arguments.seconds
    rates = []
    for is_attacked in (False, True):
        with start_service(arguments.workers, arguments.max_waiting) as (process, port):
            attackers = start_attackers(port, seconds) if is_attacked else None
            results = asyncio.run(run_load(port, process, arguments.clients[0], seconds))
        yield f"{arguments.clients[0]} good clients, {seconds:g} s, {'attacked' if is_attacked else 'alone'}"
        yield from list(report(results, Cost(1.0, 1.0, 0.0), arguments))[:-1]
        rates.append(len(results.seconds) / seconds)
        if attackers:
            codes = json.loads(attackers.communicate(timeout=60)[0])
            yield "  attackers: " + "; ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    yield f"throughput of good clients under attack: {rates[1] / rates[0]:.0%}"


def start_attackers(port: int, seconds: float) -> subprocess.Popen[str]:
    """Start the attackers, in a process of low priority: they share the machine with the service."""
    command = ["nice", "-n", "10", sys.executable, "-m", "benchmarks.service_attackers", str(port), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()  # that it has started
    return process


def main() -> None:
    """Run the load and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--max-waiting", type=int, default=64)
    parser.add_argument("--attack", action="store_true", help="the same once more, beside attackers")
    arguments = parser.parse_args()
    if arguments.attack:
        print("\n".join(compare_under_attack(arguments)))
        return
    for clients in arguments.clients:
        before = measure_plain(arguments.workers)
        with start_service(arguments.workers, arguments.max_waiting) as (process, port):
            cpu, front = read_cpu_seconds(process.pid), read_cpu_seconds(process.pid, with_children=False)
            results = asyncio.run(run_load(port, process, clients, arguments.seconds))
            pages = max(len(results.seconds), 1)
            cpu = (read_cpu_seconds(process.pid) - cpu) / pages
            front = (read_cpu_seconds(process.pid, with_children=False) - front) / pages
        cost = Cost((before + measure_plain(arguments.workers)) / 2, cpu, front)
        print(f"{clients} clients, {arguments.seconds:g} s, {arguments.workers} workers, {len(make_page()):,} bytes")
        print("\n".join(report(results, cost, arguments)), flush=True)


if __name__ == "__main__":
    main()
