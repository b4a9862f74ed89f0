#pragma once

#include <memory>
#include <string>

#include "core/base/remote_address.h"
#include "core/base/result.h"
#include "core/system/child_program.h"

namespace snapviewer {

/// A file on its way from another machine, brought by the user's own ssh or curl.
struct RemoteFetch {
    RemoteAddress address;
    /// What the other side writes before the file, which comes after whatever its login scripts print; empty for http.
    std::string greeting;
    std::shared_ptr<ChildProgram> program;
};

/// Begins to fetch what `path` names, so that load_file() finds it under way; does nothing for a file on this machine. A
/// thread in the sandbox cannot start programs, and one that reads files of strangers shall not. It waits at a full pipe
/// until it is read. Fails where the program cannot be started; that a host cannot be reached is known only when it is read.
Status start_fetch(const std::string& path, ChildProgram::Terminal terminal);

/// The one that was started first for this path and not taken yet, or one started now.
Result<RemoteFetch> take_fetch(const std::string& path);

/// Ends all that bring this path, also those taken; reading them fails then. Not in the sandbox.
void end_fetches(const std::string& path);

}  // namespace snapviewer
