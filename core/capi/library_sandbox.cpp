#include "core/capi/library_sandbox.h"

#include <csignal>
#include <mutex>
#include <thread>

#include "core/base/sandbox_wish.h"

namespace snapviewer {
namespace {

void take_no_signals() {
    sigset_t others{};
    sigfillset(&others);
    // What the thread itself is at fault for has to reach it.
    for (const int signal : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&others, signal);
    ::pthread_sigmask(SIG_BLOCK, &others, nullptr);
}

}  // namespace

Status enter_library_sandbox() {
    take_no_signals();
    return check_sandbox_wish(enter_wished_sandbox({}));
}

const std::string& library_sandbox_note() {
    static std::once_flag tried;
    static std::string note;
    std::call_once(tried, [] {
        std::thread([] {
            take_no_signals();
            note = enter_wished_sandbox({}).note();
        }).join();
    });
    return note;
}

}  // namespace snapviewer
