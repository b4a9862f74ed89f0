#!/usr/bin/env python3
"""A line to a server that carries so many megabits a second, and whose other end is so far away, for ssh's ProxyCommand: what the kernel's netem does
where it is built in.

    slow_line.py HOST PORT MBIT_A_SECOND DELAY_MS COUNT

Both ways have the rate and the delay. How many bytes came from the server is in the file COUNT as they come.
"""
import os
import queue
import socket
import sys
import threading
import time

PIECE_BYTES = 1 << 14


class Way:
    """Bytes in one direction: read no faster than the line carries them, written when they would arrive."""

    def __init__(self, read, write, bytes_a_second, delay_s):
        self.read, self.write, self.bytes_a_second, self.delay_s = read, write, bytes_a_second, delay_s
        self.carried = 0
        self.on_the_way = queue.Queue()     # as much as the line carries within its delay
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.take, self.deliver)]

    def take(self):
        free_at = 0.0   # when all before was put on the line
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
