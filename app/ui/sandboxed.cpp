#include "app/ui/sandboxed.h"

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include "app/system/crash_report.h"
#include "core/document/sandbox_setting.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

/// Prints a note once if the kernel refused parts of the sandbox. Silent if the user turned the sandbox off, and if the user
/// requires it, because then no file is opened.
void tell_once(const Sandbox& sandbox) {
    static std::once_flag told;
    if (!sandbox.was_refused || !check_sandbox_setting(sandbox)) return;
    std::call_once(told, [&] { std::fprintf(stderr, "snapviewer: note: sandbox %s\n", sandbox.note().c_str()); });
}

}  // namespace

Status check_required_sandbox() {
    const Result<SandboxSetting> wish = sandbox_setting();
    if (!wish) return wish.error();
    if (*wish != SandboxSetting::required) return {};
    Sandbox sandbox;
    std::thread([&] { sandbox = enter_sandbox_here({}); }).join();
    return check_sandbox_setting(sandbox);
}

Sandbox enter_sandbox_here(SandboxNeeds needs) {
    needs.report_folder = crash_folder().string();
    // In the sandbox Mesa cannot write its shader cache, and would warn about that on stderr.
    if (needs.draws) set_variable("MESA_SHADER_CACHE_DISABLE", "true");
    Sandbox sandbox = enter_configured_sandbox(needs);
    tell_once(sandbox);
    return sandbox;
}

}  // namespace snapviewer
