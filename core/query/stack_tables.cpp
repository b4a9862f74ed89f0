// Where from: stacks, stack_frames, frames.
#include <algorithm>

#include "core/query/catalog.h"

namespace snapviewer {
namespace {

Table stacks_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    return {"stacks",
            "Every distinct call stack, once.",
            [s] { return s->stack_frame_ends.size(); },
            {
                row_number_column("id", "allocations.stack_id and events.stack_id refer to it"),
                integer_column("depth", "number of frames",
                               [s](std::size_t row) {
                                   return std::int64_t{s->stack_frame_ends[row]} -
                                          (row == 0 ? 0 : s->stack_frame_ends[row - 1]);
                               }),
                text_column("text",
                            "file:line:function, a line a frame, innermost first; the function alone where neither file nor "
                            "line is known",
                            s->stacks, [](std::size_t row) { return static_cast<std::uint32_t>(row); }),
                text_column("top_frame",
                            "the innermost frame that is the program's own: not PyTorch's, the interpreter's, nor C++",
                            s->frames,
                            [s](std::size_t row) {
                                return top_user_frame(s->snapshot->strings, s->snapshot->stacks,
                                                      StackId{static_cast<std::uint32_t>(row)})
                                    .value;
                            }),
            }};
}

Table stack_frames_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto stack_of = [s](std::size_t row) {
        const auto& ends = s->stack_frame_ends;
        return static_cast<std::uint32_t>(std::upper_bound(ends.begin(), ends.end(), row) - ends.begin());
    };
    const auto depth_of = [s](std::size_t row, std::uint32_t stack) {
        return row - (stack == 0 ? 0 : s->stack_frame_ends[stack - 1]);
    };
    return {"stack_frames",
            "Which frames make up which stack.",
            [s] { return s->stack_frame_ends.empty() ? 0 : std::size_t{s->stack_frame_ends.back()}; },
            {
                integer_column(
                    "stack_id", "stacks.id", [stack_of](std::size_t row) { return std::int64_t{stack_of(row)}; },
                    ColumnOrder::ascending),
                integer_column("depth", "0 is the innermost call",
                               [stack_of, depth_of](std::size_t row) { return to_sql(depth_of(row, stack_of(row))); }),
                integer_column("frame_id", "frames.id",
                               [s, stack_of, depth_of](std::size_t row) {
                                   const std::uint32_t stack = stack_of(row);
                                   const auto frames = s->snapshot->stacks.stack(StackId{stack});
                                   return std::int64_t{frames[depth_of(row, stack)].value};
                               }),
            }};
}

Table frames_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto frame = [s](std::size_t row) -> const Frame& {
        return s->snapshot->stacks.frame(FrameId{static_cast<std::uint32_t>(row)});
    };
    return {"frames",
            "Every distinct line of a call stack, once.",
            [s] { return s->snapshot->stacks.frame_count(); },
            {
                row_number_column("id", "stack_frames.frame_id refers to it"),
                text_column("file", "source file; two question marks where the program had no symbols", s->strings,
                            [frame](std::size_t row) { return frame(row).file.value; }),
                integer_column("line", "NULL if not known",
                               [frame](std::size_t row) -> std::optional<std::int64_t> {
                                   if (frame(row).line == 0) return std::nullopt;
                                   return frame(row).line;
                               }),
                text_column("function", "as the file spells it", s->strings,
                            [frame](std::size_t row) { return frame(row).function.value; }),
                text_column("fx", "of code that torch.fx generated: its node, as JSON; otherwise NULL", s->strings,
                            [frame](std::size_t row) { return frame(row).fx.value; }),
            }};
}

}  // namespace

std::vector<Table> stack_tables(const CatalogSource& source) {
    return {stacks_table(source), stack_frames_table(source), frames_table(source)};
}

}  // namespace snapviewer
