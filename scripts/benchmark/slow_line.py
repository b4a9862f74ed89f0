#!/usr/bin/env python3
"""Simulates a slow connection to a server, for ssh's ProxyCommand: limits the bandwidth and adds a delay. Replaces the kernel's netem,
which not every kernel has.

    slow_line.py HOST PORT MBIT_PER_SECOND DELAY_MS COUNT

Both directions have the same bandwidth and delay. The number of bytes received from the server so far is in the file COUNT.
"""
import os
import queue
import socket
import sys
import threading
import time

PIECE_BYTES = 1 << 14


class Way:
    """One direction: reads no faster than the bandwidth allows, and writes after the delay."""

    def __init__(self, read, write, bytes_a_second, delay_s):
        self.read, self.write, self.bytes_a_second, self.delay_s = read, write, bytes_a_second, delay_s
        self.carried = 0
        self.on_the_way = queue.Queue()     # data that is delayed
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.take, self.deliver)]

    def take(self):
        free_at = 0.0   # time at which all data so far was sent
        while piece := self.read(PIECE_BYTES):
            free_at = max(time.perf_counter(), free_at) + len(piece) / self.bytes_a_second
            time.sleep(max(0.0, free_at - time.perf_counter()))
            self.on_the_way.put((free_at + self.delay_s, piece))
        self.on_the_way.put((free_at + self.delay_s, b""))

    def deliver(self):
        while True:
            arrives_at, piece = self.on_the_way.get()
            time.sleep(max(0.0, arrives_at - time.perf_counter()))
            self.carried += len(piece)
            self.write(piece)
            if not piece:
                return


def main():
    host, port, mbit, delay_ms, count = sys.argv[1:]
    server = socket.create_connection((host, int(port)))

    def to_ssh(piece):
        while piece:
            piece = piece[os.write(1, piece):]

    def to_server(piece):
        server.sendall(piece) if piece else server.shutdown(socket.SHUT_WR)

    line = float(mbit) * 1e6 / 8, float(delay_ms) / 1e3
    ways = [Way(lambda size: os.read(0, size), to_server, *line), Way(server.recv, to_ssh, *line)]
    for way in ways:
        for thread in way.threads:
            thread.start()
    while ways[1].threads[1].is_alive():
        ways[1].threads[1].join(0.05)
        with open(count, "w", encoding="utf-8") as counted:
            counted.write(str(ways[1].carried))


if __name__ == "__main__":
    main()
