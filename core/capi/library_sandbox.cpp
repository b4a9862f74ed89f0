#include "core/capi/library_sandbox.h"

#include <mutex>
#include <thread>

#include "core/base/sandbox_wish.h"
#include "core/system/ending.h"

namespace snapviewer {
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
