// If the standard output of node is a pipe, a write to a full pipe fails instead of blocking. This waits and retries.
{
    const files = require("fs");
    const write = files.writeSync;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    files.writeSync = (...words) => {
        for (;;) {
            try {
                return write(...words);
            } catch (error) {
                if (error.code !== "EAGAIN") throw error;
            }
            Atomics.wait(pause, 0, 0, 1);
        }
    };
}
