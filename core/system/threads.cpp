#include "core/system/threads.h"

namespace snapviewer {

bool has_threads() { return true; }

void take_turn(std::function<void()> work) { work(); }

void (*give_way)() = nullptr;

}  // namespace snapviewer
