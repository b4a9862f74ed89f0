#pragma once

#include <memory>
#include <string>

#include "core/base/remote_address.h"
#include "core/base/result.h"
#include "core/system/child_program.h"

namespace snapviewer {

class RemoteFolder;

/// A file on its way from another machine, brought by the user's own ssh or curl.
struct RemoteFetch {
    RemoteAddress address;
    /// What the other side writes before the file, which comes after whatever its login scripts print; empty for http.
    std::string greeting;
    std::shared_ptr<ChildProgram> program;
    std::shared_ptr<RemoteFolder> folder = {};  ///< over whose connection it comes; null where it has its own
    std::string request = {};                   ///< what the other side is asked for by that
};

/// Begins to fetch what `path` names, so that load_file() finds it under way; does nothing for a file on this machine. A
/// thread in the sandbox cannot start programs, and one that reads files of strangers shall not. It waits at a full pipe
/// until it is read. A folder is connected to, unless it still is. Fails where the program cannot be started; that a host
/// cannot be reached is known only when it is read.
Status start_fetch(const std::string& path, ChildProgram::Terminal terminal);

/// The connection to a folder that was started; null where none was, or it was ended.
std::shared_ptr<RemoteFolder> remote_folder(const std::string& path);

/// Has the next take_fetch() of this path take this.
void offer_fetch(const std::string& path, RemoteFetch fetch);

/// The one that was started first for this path and not taken yet, or one started now.
Result<RemoteFetch> take_fetch(const std::string& path);

/// Ends all that bring this path, also those taken, and the connection to a folder; reading them fails then. Not in the
/// sandbox.
void end_fetches(const std::string& path);

}  // namespace snapviewer
