#pragma once

#include <memory>
#include <string>

#include "core/base/addresses.h"
#include "core/base/result.h"
#include "core/system/processes.h"

namespace snapviewer::remote {

class RemoteFolder;

/// A running transfer of a file from another machine by the user's own ssh or curl.
struct RemoteFetch {
    RemoteAddress address;
    /// Random mark that the remote machine writes before the file, after any output of its login scripts; empty for http.
    std::string greeting;
    std::shared_ptr<ChildProgram> program;
    /// Folder over whose connection the file comes; null if the file has its own connection.
    std::shared_ptr<RemoteFolder> folder = {};
    std::string request = {};  ///< Request for the file that is sent over the folder's connection
};

/// Starts the transfer of the file `path`, which load_file() then continues. For a remote folder, connects to it unless it
/// is connected. No-op for a path on this machine. Must be called outside the sandbox, before the file is loaded: a
/// sandboxed thread cannot start programs, and a thread that reads untrusted files must not. The started program blocks at a
/// full pipe until its output is read. Fails if the program cannot be started. An unreachable host is reported only when the
/// transfer is read.
Status start_fetch(const std::string& path, ChildProgram::Terminal terminal);

/// Returns the connection to a folder that start_fetch() started; null if none was started or it was ended.
std::shared_ptr<RemoteFolder> remote_folder(const std::string& path);

/// Queues `fetch`, so that the next take_fetch() of the same path returns it.
void queue_fetch(const std::string& path, RemoteFetch fetch);

/// Returns the oldest queued transfer of this path and removes it from the queue. Starts a transfer if none is queued. Fails
/// for a remote folder.
Result<RemoteFetch> take_fetch(const std::string& path);

/// Ends all transfers of this path, including those that were taken, and the connection to a folder. Reading them fails
/// afterwards. Must not be called in the sandbox.
void end_fetches(const std::string& path);

}  // namespace snapviewer::remote
