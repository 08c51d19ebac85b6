"""What the page costs while two phones look: pictures a second to each, and the share of a core it takes.

    python benchmarks/web_cost.py [--seconds 20] [--size 1280x960]

A real loop reads a simulated table; the page is served over real sockets to viewers in a process of their own, each of
which takes pictures and events as a phone does. The page's cost is the processor time of the serving process with the
viewers less that without. Nobody looking must cost nothing: no picture may be encoded then.
"""

from __future__ import annotations

import argparse
import http.client
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

VIEWERS = 2


def processor_s() -> float:
    """Processor time of this process so far, all threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def look(host: str, cookie: str, path: str, seconds: float, counts: list[int]) -> None:
    """Read a stream and count the bytes and the marks in it."""
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    mark = b"--picture" if path.endswith("mjpg") else b"event: "
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = answer.read1(1 << 16)
        if not data:
            break
        counts[0] += data.count(mark)
        counts[1] += len(data)
    answer.close()
    connection.close()


def viewers(host: str, cookies: list[str], seconds: float) -> None:
    """Be all the phones; print what each got."""
    results = [[[0, 0], [0, 0]] for _ in cookies]
    threads = [
        threading.Thread(target=look, args=(host, cookie, path, seconds, result[i]))
        for cookie, result in zip(cookies, results, strict=True)
        for i, path in enumerate(("/live.mjpg", "/events?lang=de"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(results))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--size", default="1280x960")
    parser.add_argument("--look", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.look:
        viewers(args.look[0], args.look[1:], args.seconds)
        return
    import cv2

    from tests.web.living import Living

    cv2.setNumThreads(1)
    width, height = (int(v) for v in args.size.split("x"))
    with tempfile.TemporaryDirectory() as folder, Living(Path(folder), size=(width, height)) as living:
        doors = living.page.doors
        cookies = [
            f"companion={doors.pair(living.page.code(), 'x', 'viewer', time.monotonic())}" for _ in range(VIEWERS)
        ]
        time.sleep(3)
        start, wall = processor_s(), time.monotonic()
        time.sleep(args.seconds)
        idle = (processor_s() - start) / (time.monotonic() - wall)
        host = living.page.address.removeprefix("http://")
        command = [sys.executable, __file__, "--seconds", str(args.seconds), "--look", host, *cookies]
        start, wall = processor_s(), time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        busy = (processor_s() - start) / (time.monotonic() - wall)
    results = json.loads(done.stdout)
    print(f"table of {args.size}, {args.seconds:.0f} s, {VIEWERS} phones")
    for i, ((pictures, size), (events, words)) in enumerate(results):
        print(
            f"phone {i + 1}: {pictures / args.seconds:.1f} pictures/s ({size / args.seconds / 1000:.0f} kB/s), "
            f"{events} events ({words / 1000:.0f} kB)"
        )
    print(f"loop alone {idle:.1%} of a core, with the page {busy:.1%}: the page costs {busy - idle:.1%}")


if __name__ == "__main__":
    main()
