#pragma once

#include <string_view>

#include "core/base/string_pool.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// Sets Frame::original of a frame of generated code to the line of the program from which it was generated. `trace` is a
/// traceback as Python prints it, outermost call first ('File "net.py", line 12, in forward', then the source line); PyTorch
/// writes it as fx_original_trace. The innermost line of the user's own program is used. Does not change the frame if the
/// trace contains no such line. O(length).
void set_original_line(Frame& frame, StringPool& strings, std::string_view trace);

/// Calls set_original_line() with the trace in a torch.fx node in JSON, the format of Frame::fx.
void set_original_line_of_node(Frame& frame, StringPool& strings, std::string_view node_json);

}  // namespace snapviewer
