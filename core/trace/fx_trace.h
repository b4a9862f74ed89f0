#pragma once

#include <string_view>

#include "core/base/string_pool.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// Gives a frame of generated code the line of the program that it was made from: the innermost one of the program's own in
/// `trace`, a traceback as Python prints it, outermost call first ('File "net.py", line 12, in forward', then the source).
/// PyTorch writes it as fx_original_trace. Leaves the frame as it is where the trace names no such line. O(length).
void set_original_line(Frame& frame, StringPool& strings, std::string_view trace);

/// The same of a frame's node as JSON, which is what Frame::fx holds.
void set_original_line_of_node(Frame& frame, StringPool& strings, std::string_view node_json);

}  // namespace snapviewer
