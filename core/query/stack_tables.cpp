// Tables of call stacks: stacks, stack_frames, frames.
#include <algorithm>

#include "core/query/catalog.h"

namespace snapviewer {
namespace {

/// Creates a dictionary with one text per stack. The texts come from StackLines, which are computed once for all stacks.
std::shared_ptr<Dictionary> make_stack_dictionary(const CatalogSource& source,
                                                  std::function<std::string(const StackLines&, StackId)> text) {
    return make_function_dictionary([snapshot = source.snapshot] { return snapshot->stacks.stack_count(); },
                                    [derived = source.derived, text = std::move(text)](std::uint32_t code) {
                                        return text(derived->stack_lines(), StackId{code});
                                    });
}

std::shared_ptr<Dictionary> make_frame_dictionary(const CatalogSource& source) {
    return make_function_dictionary([snapshot = source.snapshot] { return snapshot->stacks.frame_count(); },
                                    [snapshot = source.snapshot](std::uint32_t code) {
                                        return frame_text(snapshot->strings, snapshot->stacks.frame(FrameId{code}));
                                    });
}

Table stacks_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto use = [derived = source.derived](auto field) {
        return [derived, field](std::size_t row) {
            return to_sql(field(derived->use_of(StackId{static_cast<std::uint32_t>(row)})));
        };
    };
    const auto number = [](std::size_t row) { return static_cast<std::uint32_t>(row); };
    return {
        "stacks",
        "Every distinct call stack once.",
        [s] { return s->stack_frame_ends.size(); },
        {
            row_number_column("id", "allocations.stack_id and events.stack_id refer to it"),
            integer_column("depth", "number of frames",
                           [s](std::size_t row) {
                               return std::int64_t{s->stack_frame_ends[row]} - (row == 0 ? 0 : s->stack_frame_ends[row - 1]);
                           }),
            text_column(
                "text",
                "file:line:function, one line per frame, innermost first; only the function where file and line are unknown",
                s->stacks, number),
            text_column("top_frame",
                        "the line that stands for the stack, as function@path:line: the innermost line of the program's own "
                        "code, otherwise the innermost Python line, otherwise the backward node, operator or C++ function",
                        make_stack_dictionary(source, [](const StackLines& lines, StackId id) { return lines.source(id); }),
                        number),
            text_column(
                "key",
                "a hash of the lines without anything that differs between machines, so the same stack has the same key in "
                "every file",
                make_stack_dictionary(source, [](const StackLines& lines, StackId id) { return key_text(lines.key(id)); }),
                number),
            integer_column("allocations", "number of allocations with this stack, on all devices",
                           use([](const DerivedRows::StackUse& of) { return static_cast<std::uint64_t>(of.count); })),
            integer_column("allocated_bytes", "total bytes of these allocations, including those freed again",
                           use([](const DerivedRows::StackUse& of) { return of.bytes; })),
            integer_column("largest_bytes", "bytes of the largest of these allocations",
                           use([](const DerivedRows::StackUse& of) { return of.largest_bytes; })),
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
            "Which frames each stack consists of.",
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
            "Every distinct line of a call stack once.",
            [s] { return s->snapshot->stacks.frame_count(); },
            {
                row_number_column("id", "stack_frames.frame_id refers to it"),
                text_column("file", "source file; two question marks if the program had no symbols", s->strings,
                            [frame](std::size_t row) { return frame(row).file.value; }),
                integer_column("line", "NULL if unknown",
                               [frame](std::size_t row) -> std::optional<std::int64_t> {
                                   if (!frame(row).knows_line()) return std::nullopt;
                                   return frame(row).line;
                               }),
                text_column("function", "as written in the file", s->strings,
                            [frame](std::size_t row) { return frame(row).function.value; }),
                integer_column(
                    "is_own",
                    "1 for the program's own Python code; 0 for installed packages, the standard library, the interpreter "
                    "and C++",
                    [s, frame](std::size_t row) { return std::int64_t{is_own_frame(s->snapshot->strings, frame(row))}; }),
                text_column("fx", "for code generated by torch.fx: its node, as JSON; otherwise NULL", s->strings,
                            [frame](std::size_t row) { return frame(row).fx.value; }),
                text_column("text", "file:line:function, as in stacks.text", make_frame_dictionary(source),
                            [](std::size_t row) { return static_cast<std::uint32_t>(row); }),
            }};
}

}  // namespace

std::vector<Table> stack_tables(const CatalogSource& source) {
    return {stacks_table(source), stack_frames_table(source), frames_table(source)};
}

}  // namespace snapviewer
