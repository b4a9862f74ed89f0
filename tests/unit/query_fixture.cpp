#include "tests/unit/query_fixture.h"

namespace snapviewer::test {
namespace {

void add_event(EventColumns& events, Action action, std::uint64_t address, std::uint64_t size, StackId stack,
               std::int64_t time_us, MetadataId metadata = {}) {
    const bool is_oom = action == Action::oom;
    events.push({action, address, size, static_cast<std::uint16_t>(is_oom ? 1 : 0), is_oom ? k_no_pool : std::uint16_t{0},
                 time_us, stack, metadata});
}

void add_allocation(AllocationColumns& allocations, std::uint64_t address, std::uint64_t size, Origin origin,
                    AllocationState state, EventId alloc, EventId free, StackId stack) {
    const auto pool = origin == Origin::standing ? k_no_pool : std::uint16_t{1};
    allocations.push({address, size, 0, pool, origin, state, alloc, free, stack});
}

DeviceTrace make_first_device(StackId s, StackId t) {
    DeviceTrace trace;
    trace.device = 0;
    add_event(trace.events, Action::segment_alloc, 0x1000, 4096, {}, 1000);
    add_event(trace.events, Action::alloc, 0x1000, 100, s, 1001, MetadataId{0});
    add_event(trace.events, Action::alloc, 0x2000, 200, t, 1002);
    add_event(trace.events, Action::free_requested, 0x1000, 100, s, 1003);
    add_event(trace.events, Action::free_completed, 0x1000, 100, s, 1004);
    add_event(trace.events, Action::oom, 7, 999, t, 1005);
    add_allocation(trace.allocations, 0x500, 50, Origin::standing, AllocationState::live, {}, {}, {});
    add_allocation(trace.allocations, 0x1000, 100, Origin::alloc, AllocationState::freed, EventId{1}, EventId{4}, s);
    add_allocation(trace.allocations, 0x2000, 200, Origin::alloc, AllocationState::live, EventId{2}, {}, t);
    trace.initial_count = 1;
    trace.reserved_known = ReservedKnown::throughout;
    trace.actions = {AllocationId{1}, AllocationId{2}, AllocationId{1}};
    return trace;
}

DeviceTrace make_second_device() {
    constexpr std::uint64_t k_high_address = (std::uint64_t{1} << 63) + 16;
    DeviceTrace trace;
    trace.device = 3;
    add_event(trace.events, Action::alloc, k_high_address, 300, {}, k_no_time);
    add_allocation(trace.allocations, k_high_address, 300, Origin::alloc, AllocationState::live, EventId{0}, {}, {});
    trace.actions = {AllocationId{0}};
    return trace;
}

}  // namespace

std::shared_ptr<const Snapshot> make_snapshot() {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->kind = FileKind::pytorch_pickle;
    StringPool& strings = snapshot->strings;
    const FrameId f = snapshot->stacks.intern_frame({strings.intern("a.py"), strings.intern("f"), 1});
    const FrameId g = snapshot->stacks.intern_frame({strings.intern("b.py"), strings.intern("g"), 2});
    const FrameId unknown = snapshot->stacks.intern_frame({strings.intern("??"), strings.intern("Attention"), 0});
    const StackId s = snapshot->stacks.intern_stack(std::vector{f, g});
    const StackId t = snapshot->stacks.intern_stack(std::vector{unknown, f, g});
    snapshot->metadata.push_back({strings.intern("step 1"), strings.intern("N/A"), {}, {}, {}});
    snapshot->streams = {0, 77};
    snapshot->pools = {{0, 0}, {1, 2}};
    snapshot->devices.push_back(make_first_device(s, t));
    snapshot->devices.push_back(make_second_device());
    snapshot->segments.push_back({.address = 0x1000,
                                  .total_bytes = 4096,
                                  .allocated_bytes = 512,
                                  .active_bytes = 512,
                                  .requested_bytes = 200,
                                  .device = 0,
                                  .stream = 1,
                                  .pool = 1,
                                  .type = strings.intern("small"),
                                  .is_expandable = true,
                                  .stack = t,
                                  .first_block = 0,
                                  .block_count = 2});
    snapshot->blocks.push_back({0x1000, 3584, 100, BlockState::inactive, {}});
    snapshot->blocks.push_back({0x2000, 512, 200, BlockState::active_allocated, t});
    snapshot->annotations.push_back({strings.intern("## forward ##"), strings.intern("START"), 0, 1001});
    snapshot->settings = {{"max_split_size", "-1"}, {"expandable_segments", "true"}};
    snapshot->log.add({Severity::info, "standing_blocks", "1 block was there before", 1, std::nullopt});
    return snapshot;
}

std::vector<std::shared_ptr<const Timeline>> make_timelines(const std::shared_ptr<const Snapshot>& snapshot) {
    std::vector<std::shared_ptr<const Timeline>> timelines;
    for (std::size_t i = 0; i < snapshot->devices.size(); ++i) {
        timelines.push_back(std::make_shared<Timeline>(Timeline::build(snapshot, i)));
    }
    return timelines;
}

std::shared_ptr<query::Database> make_database() {
    const auto snapshot = make_snapshot();
    auto database = query::Database::create(snapshot, make_timelines(snapshot));
    EXPECT_TRUE(database.ok()) << database.error().text();
    return *database;
}

std::string rows_of(query::Database& database, std::string_view sql, const query::QueryLimits& limits) {
    const auto result = database.run(sql, limits);
    if (!result.ok()) return "error: " + result.error().text();
    std::string text;
    for (std::size_t row = 0; row < result->row_count(); ++row) {
        if (row > 0) text += '\n';
        for (std::size_t column = 0; column < result->columns.size(); ++column) {
            if (column > 0) text += '|';
            const Cell& cell = result->cell(row, column);
            if (std::holds_alternative<std::monostate>(cell)) text += '-';
            if (const auto* integer = std::get_if<std::int64_t>(&cell)) text += std::to_string(*integer);
            if (const auto* real = std::get_if<double>(&cell)) text += std::to_string(*real);
            if (const auto* value = std::get_if<std::string>(&cell)) text += *value;
        }
    }
    return text;
}

Error error_of(query::Database& database, std::string_view sql, const query::QueryLimits& limits) {
    const auto result = database.run(sql, limits);
    EXPECT_FALSE(result.ok()) << sql;
    return result.ok() ? Error{} : result.error();
}

}  // namespace snapviewer::test
