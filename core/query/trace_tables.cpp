#include <algorithm>

#include "core/query/catalog.h"
#include "core/trace/annotations.h"

// Tables of the recorded events: allocs, allocations, events.
namespace snapviewer {
namespace {

using Integer = std::optional<std::int64_t>;

Integer id_to_sql(std::size_t first, EventId id) { return id.is_some() ? Integer(to_sql(first + id.value)) : std::nullopt; }

Table allocs_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto timeline = [s] { return s->timelines[s->allocs_device].get(); };
    return {
        "allocs",
        "The allocations of one device in drawing order, bottom of the picture first: SnapViewer's table. In the window it "
        "is the device on the screen, on the command line the one given by --device.",
        [s, timeline] { return s->timelines.empty() ? 0 : timeline()->allocation_count(); },
        {
            row_number_column("idx", "place in drawing order, from 0"),
            integer_column("size", "bytes, as requested (not rounded)",
                           [timeline](std::size_t row) { return to_sql(timeline()->trace().allocations.size_bytes[row]); }),
            integer_column(
                "start_time", "step at which it appears; also 0 for what was there before the recording",
                [timeline](std::size_t row) {
                    return to_sql(timeline()->start_step(AllocationId{static_cast<std::uint32_t>(row)}));
                },
                source.start_order()),
            end_column(
                "end_time", "step at which it disappears; the last step for what is still there at the end",
                [timeline](std::size_t row) {
                    return to_sql(timeline()->end_step(AllocationId{static_cast<std::uint32_t>(row)}));
                },
                source.most_live_share()),
            text_column("callstack",
                        "file:line:function, one line per frame, innermost first; only the function where file and line are "
                        "unknown; the stack of the free, not of the allocation, where allocations.origin is 'freed'; NULL "
                        "if none was recorded",
                        s->stacks, [timeline](std::size_t row) { return timeline()->trace().allocations.stack[row].value; }),
        }};
}

/// Converts a function that reads one device's allocations to a function that reads a row over all devices.
struct AllocationAt {
    const CatalogSource* source;

    template <typename Read>
    auto operator()(Read read) const {
        return [s = source, read](std::size_t row) {
            const auto place = CatalogSource::locate(s->allocation_ends, row);
            return read(s->snapshot->devices[place.device_index].allocations, place.row, *s, place.device_index);
        };
    }
};

struct EventAt {
    const CatalogSource* source;

    template <typename Read>
    auto operator()(Read read) const {
        return [s = source, read](std::size_t row) {
            const auto place = CatalogSource::locate(s->event_ends, row);
            return read(s->snapshot->devices[place.device_index].events, place.row, *s, place.device_index);
        };
    }
};

using Allocations = const AllocationColumns&;
using Events = const EventColumns&;
using Source = const CatalogSource&;

Integer event_time(Source s, std::size_t device_index, EventId event) {
    return event.is_some() ? time_to_sql(s.snapshot->devices[device_index].events.time_us[event.value]) : std::nullopt;
}

std::uint32_t event_text(Source s, MetadataId metadata, StringId EventMetadata::*field) {
    return metadata.is_some() ? (s.snapshot->metadata[metadata.value].*field).value : k_null_code;
}

/// Returns a text of the event that an allocation is known from, as a StringId value or k_null_code.
std::uint32_t allocation_text(Source s, std::size_t device_index, std::size_t row, StringId EventMetadata::*field) {
    const AllocationId id{static_cast<std::uint32_t>(row)};
    return event_text(s, metadata_of(s.snapshot->devices[device_index], id), field);
}

std::uint32_t pool_code(std::uint16_t pool) { return pool == k_no_pool ? k_null_code : pool; }

Column device_column(std::string doc, const CatalogSource* s, const std::vector<std::size_t>* ends) {
    const auto read = [s, ends](std::size_t row) {
        return std::int64_t{s->snapshot->devices[CatalogSource::locate(*ends, row).device_index].device};
    };
    return integer_column("device", std::move(doc), read, s->device_order());
}

std::vector<Column> allocation_life_columns(const CatalogSource& source) {
    const AllocationAt at{&source};
    const auto allocation_id = [](std::size_t row) { return AllocationId{static_cast<std::uint32_t>(row)}; };
    const double lasting_share = source.most_live_share();
    return {
        integer_column("alloc_step", "step at which it appears; 0 for what was there before the recording (see origin)",
                       at([allocation_id](Allocations, std::size_t row, Source s, std::size_t d) {
                           return to_sql(s.timelines[d]->start_step(allocation_id(row)));
                       }),
                       source.start_order()),
        end_column("free_step", "step at which it disappears; NULL if it is still there at the end",
                   at([allocation_id](Allocations, std::size_t row, Source s, std::size_t d) -> Integer {
                       const Timeline& timeline = *s.timelines[d];
                       if (timeline.last_tick(allocation_id(row)) + 1 == timeline.tick_count()) return std::nullopt;
                       return to_sql(timeline.end_step(allocation_id(row)));
                   }),
                   lasting_share),
        integer_column("alloc_time_us", "microseconds since 1970 (UTC); NULL if not recorded",
                       at([](Allocations a, std::size_t row, Source s, std::size_t d) {
                           return event_time(s, d, a.alloc_event[row]);
                       })),
        end_column(
            "free_time_us", "microseconds since 1970 (UTC); NULL if not recorded or never freed",
            at([](Allocations a, std::size_t row, Source s, std::size_t d) { return event_time(s, d, a.free_event[row]); }),
            lasting_share),
        integer_column("alloc_event", "events.id of its alloc; NULL if not recorded",
                       at([](Allocations a, std::size_t row, Source s, std::size_t d) {
                           return id_to_sql(CatalogSource::first_row(s.event_ends, d), a.alloc_event[row]);
                       })),
        end_column("free_event", "events.id of its free; NULL if never freed",
                   at([](Allocations a, std::size_t row, Source s, std::size_t d) {
                       return id_to_sql(CatalogSource::first_row(s.event_ends, d), a.free_event[row]);
                   }),
                   lasting_share),
    };
}

Table allocations_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const AllocationAt at{s};
    const auto origins =
        make_list_dictionary({origin_name(Origin::alloc), origin_name(Origin::freed), origin_name(Origin::standing),
                              origin_name(Origin::derived), origin_name(Origin::unplaced)});
    const auto states = make_list_dictionary(
        {state_name(AllocationState::live), state_name(AllocationState::awaiting_free), state_name(AllocationState::freed)});
    Table table{"allocations",
                "Every allocation of every device, in drawing order within each device.",
                [s] { return s->allocation_ends.empty() ? 0 : s->allocation_ends.back(); },
                {
                    row_number_column("id", "counts across all devices, from 0"),
                    device_column("device number as in the file", s, &s->allocation_ends),
                    integer_column("address", "address of the first byte, negative from 2^63 on; NULL if unknown",
                                   at([](Allocations a, std::size_t row, Source, std::size_t) -> Integer {
                                       return a.address[row] == 0 ? std::nullopt : Integer(to_sql(a.address[row]));
                                   })),
                    integer_column(
                        "size", "bytes, as requested (not rounded)",
                        at([](Allocations a, std::size_t row, Source, std::size_t) { return to_sql(a.size_bytes[row]); })),
                    integer_column("stream", "raw handle, 0 is the default stream",
                                   at([](Allocations a, std::size_t row, Source src, std::size_t) {
                                       return to_sql(src.snapshot->streams[a.stream[row]]);
                                   })),
                    text_column("pool",
                                "memory pool as '(1, 2)'; '(0, 0)' is the default pool; taken from the event, otherwise "
                                "from the segment at its address; NULL if unknown",
                                s->pools, at([](Allocations a, std::size_t row, Source, std::size_t) {
                                    return pool_code(a.pool[row]);
                                })),
                    text_column("origin",
                                "how it is known: 'alloc' (the allocation was recorded), 'freed' (only the free was "
                                "recorded), 'standing' (no event mentions it, but it was live when the snapshot was taken), "
                                "'derived' (not recorded, but derived from totals), 'unplaced' (as 'standing', but the file "
                                "is cut off before the end of its events, so it may have been allocated at any time)",
                                origins, at([](Allocations a, std::size_t row, Source, std::size_t) {
                                    return static_cast<std::uint32_t>(a.origin[row]);
                                })),
                }};
    for (Column& column : allocation_life_columns(source)) table.columns.push_back(std::move(column));
    table.columns.push_back(text_column(
        "state", "at the end: 'live', 'awaiting_free' (freed, but another stream may still use it) or 'freed'", states,
        at([](Allocations a, std::size_t row, Source, std::size_t) { return static_cast<std::uint32_t>(a.state[row]); })));
    table.columns.push_back(
        integer_column("stack_id",
                       "stacks.id; where origin is 'freed', the stack of the free, which does not show who allocated it; "
                       "NULL if no stack was recorded",
                       at([](Allocations a, std::size_t row, Source, std::size_t) { return stack_to_sql(a.stack[row]); })));
    const auto add_text = [&](const char* name, const char* doc, StringId EventMetadata::*field) {
        table.columns.push_back(
            text_column(name, doc, s->strings, at([field](Allocations, std::size_t row, Source src, std::size_t d) {
                            return allocation_text(src, d, row, field);
                        })));
    };
    add_text("category", "category as named by the profiler; NULL in most files", &EventMetadata::category);
    add_text("user_metadata", "text attached by the program", &EventMetadata::user_metadata);
    table.columns.push_back(text_column(
        "annotation", "texts of its annotate events (_annotate_tensor), one line each; NULL if no values were given",
        s->strings, at([](Allocations, std::size_t row, Source src, std::size_t d) {
            return notes_text_of(src.snapshot->devices[d], AllocationId{static_cast<std::uint32_t>(row)}).value;
        })));
    add_text("compile_context", "the compiled region in which it happened", &EventMetadata::compile_context);
    add_text("internal_metadata", "the allocator's own note", &EventMetadata::internal_metadata);
    add_text("forward_frames", "for allocations of a backward pass: the stack of the forward pass",
             &EventMetadata::forward_frames);
    return table;
}

Column event_text_column(const CatalogSource& source, std::string name, std::string doc, StringId EventMetadata::*field) {
    const EventAt at{&source};
    return text_column(
        std::move(name), std::move(doc), source.strings,
        at([field](Events e, std::size_t row, Source s, std::size_t) { return event_text(s, e.metadata[row], field); }));
}

Table events_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const EventAt at{s};
    return {
        "events",
        "Everything the allocator recorded, in recorded order within each device.",
        [s] { return s->event_ends.empty() ? 0 : s->event_ends.back(); },
        {
            row_number_column("id", "counts across all devices, from 0"),
            device_column("device number as in the file", s, &s->event_ends),
            text_column("action", "'alloc', 'free_requested', 'free_completed', 'segment_alloc', 'oom', ... as in the file",
                        s->actions, at([](Events e, std::size_t row, Source src, std::size_t d) {
                            const bool is_request =
                                src.snapshot->devices[d].requests_are_frees && e.action[row] == Action::free_completed;
                            return static_cast<std::uint32_t>(is_request ? Action::free_requested : e.action[row]);
                        })),
            integer_column("address", "address of the block or segment, negative from 2^63 on; NULL if there is none",
                           at([](Events e, std::size_t row, Source, std::size_t) -> Integer {
                               return e.has_address(row) ? Integer(to_sql(e.address[row])) : std::nullopt;
                           })),
            integer_column("size", "bytes",
                           at([](Events e, std::size_t row, Source, std::size_t) { return to_sql(e.size_bytes[row]); })),
            integer_column("device_free", "for 'oom': bytes the driver reported as free; NULL if unknown",
                           at([](Events e, std::size_t row, Source, std::size_t) -> Integer {
                               return e.is_oom(row) ? optional_to_sql(e.free_bytes(row)) : std::nullopt;
                           })),
            integer_column("stream", "raw handle, 0 is the default stream",
                           at([](Events e, std::size_t row, Source src, std::size_t) {
                               return to_sql(src.snapshot->streams[e.stream[row]]);
                           })),
            text_column("pool", "memory pool as '(1, 2)'; NULL if not recorded", s->pools,
                        at([](Events e, std::size_t row, Source, std::size_t) { return pool_code(e.pool[row]); })),
            integer_column("time_us", "microseconds since 1970 (UTC); NULL if not recorded",
                           at([](Events e, std::size_t row, Source, std::size_t) { return time_to_sql(e.time_us[row]); })),
            integer_column("stack_id", "stacks.id; NULL if no stack was recorded",
                           at([](Events e, std::size_t row, Source, std::size_t) { return stack_to_sql(e.stack[row]); })),
            event_text_column(source, "user_metadata", "text attached by the program", &EventMetadata::user_metadata),
            event_text_column(source, "compile_context", "the compiled region in which it happened",
                              &EventMetadata::compile_context),
            event_text_column(source, "internal_metadata", "the allocator's own note", &EventMetadata::internal_metadata),
            event_text_column(source, "category", "category as named by the profiler", &EventMetadata::category),
            event_text_column(source, "forward_frames", "for allocations of a backward pass: the stack of the forward pass",
                              &EventMetadata::forward_frames),
        }};
}

}  // namespace

std::vector<Table> trace_tables(const CatalogSource& source) {
    return {allocs_table(source), allocations_table(source), events_table(source)};
}

// Tables of call stacks: stacks, stack_frames, frames.

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
