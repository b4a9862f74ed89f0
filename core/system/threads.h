#pragma once

#include <functional>

namespace snapviewer {

/// Whether the program may start threads. A page may not where its browser does not keep it apart from others, as one that
/// was opened from a disk.
bool has_threads();

/// For programs without threads: does `work` on the main thread once it has nothing else to do, after what was given before.
/// Such work may come back later than something else that began later on the main thread, see `give_way`. With threads it is
/// done at once.
void take_turn(std::function<void()> work);

/// Null with threads. Otherwise to be called now and then by work that takes long: lets the page be drawn and its user be
/// heard, if it has not been for a while, by which the work stops and goes on later.
extern void (*give_way)();

}  // namespace snapviewer
