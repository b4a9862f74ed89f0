#include "app/ui/sandboxed.h"

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include "app/system/crash_report.h"
#include "core/base/sandbox_wish.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

/// Where the kernel refuses some of it. Who turned it off knows that, and where it is required nothing is opened.
void tell_once(const Sandbox& sandbox) {
    static std::once_flag told;
    if (!sandbox.was_refused || !check_sandbox_wish(sandbox)) return;
    std::call_once(told, [&] { std::fprintf(stderr, "snapviewer: note: sandbox %s\n", sandbox.note().c_str()); });
}

}  // namespace

Status check_required_sandbox() {
    const Result<SandboxWish> wish = sandbox_wish();
    if (!wish) return wish.error();
    if (*wish != SandboxWish::required) return {};
    Sandbox sandbox;
    std::thread([&] { sandbox = enter_sandbox_here({}); }).join();
    return check_sandbox_wish(sandbox);
}

Sandbox enter_sandbox_here(SandboxNeeds needs) {
    needs.report_folder = crash_folder().string();
    // Mesa would complain on stderr that it cannot keep its compiled shaders.
    if (needs.draws) set_variable("MESA_SHADER_CACHE_DISABLE", "true");
    Sandbox sandbox = enter_wished_sandbox(needs);
    tell_once(sandbox);
    return sandbox;
}

}  // namespace snapviewer
