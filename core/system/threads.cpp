#include "core/system/threads.h"

namespace snapviewer {

bool has_threads() { return true; }
void run_on_main_thread(std::function<void()> work) { work(); }

void (*yield_to_browser)() = nullptr;

}  // namespace snapviewer
