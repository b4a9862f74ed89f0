#include "core/load/converted/reader.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/input_files.h"
#include "core/base/job.h"
#include "core/base/limits.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/sources.h"
#include "core/load/converted/elements.h"
#include "core/system/files.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_copy_batch_bytes = 1 << 20;

}  // namespace

bool SnapviewerParts::has(std::string_view name) const { return std::ranges::count(names(), name) > 0; }

// ---------------------------------------------------------------------------------------------------- ZippedParts

std::vector<std::string> ZippedParts::names() const {
    std::vector<std::string> names;
    for (const ZipArchive::Member& member : archive_.members())
        names.push_back(member.name.substr(member.name.rfind('/') + 1));
    return names;
}

void ZippedParts::read(const std::string& name, const std::function<void(ByteSource&)>& take) {
    const ZipArchive::Member& member = *archive_.find(name);
    in_context("member " + member.name, [&] {
        ZipMemberReader reader(archive_, member, own_ == nullptr);
        ReadAhead text(reader);
        take(text);
    });
}

std::shared_ptr<SqliteFile> ZippedParts::open_database(const std::string& name) {
    const ZipArchive::Member& member = *archive_.find(name);
    if (member.size_bytes > limits::k_database_bytes)
        fail("holds a database that is too large to unpack", {}, "member " + member.name);
    return in_context("member " + member.name, [&] {
        ScratchFile scratch = value_or_throw(ScratchFile::create(member.size_bytes));
        ZipMemberReader reader(archive_, member);
        std::vector<char> buffer(k_copy_batch_bytes);
        std::uint64_t written_bytes = 0;
        while (const std::size_t size = reader.read(buffer)) {
            check_stop();
            throw_if_error(budget_of_thread().unpack(size));
            if (written_bytes + size > limits::k_database_bytes) fail("unpacks to more bytes than the zip directory states");
            const auto bytes = std::as_bytes(std::span(buffer).first(size));
            if (Status written = scratch.write(bytes, written_bytes); !written) throw Failure{written.error()};
            written_bytes += size;
        }
        return value_or_throw(SqliteFile::open_unpacked(std::move(scratch), name));
    });
}

std::unique_ptr<SnapviewerParts> ZippedParts::clone() const {
    return std::unique_ptr<SnapviewerParts>(new ZippedParts(std::make_unique<ZipArchive>(archive_.bytes())));
}

// ---------------------------------------------------------------------------------------------------- FolderParts

std::vector<std::string> FolderParts::names() const {
    std::error_code ignored;
    return list_names(folder_, ignored);
}

std::string FolderParts::path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

void FolderParts::read(const std::string& name, const std::function<void(ByteSource&)>& take) {
    in_context("file " + name, [&] {
        MappedFile file = value_or_throw(MappedFile::open(path_of(name)));
        budget_of_thread().add_file(file.size_bytes());
        MappedSource text(file, reports_progress_);
        try {
            take(text);
        } catch (const Failure&) {
            throw_if_error(file.check_still_whole());
            throw;
        }
        throw_if_error(file.check_still_whole());
    });
}

std::shared_ptr<SqliteFile> FolderParts::open_database(const std::string& name) {
    budget_of_thread().add_file_at(path_of(name));
    return in_context("file " + name, [&] { return value_or_throw(SqliteFile::open(path_of(name))); });
}

std::unique_ptr<SnapviewerParts> FolderParts::clone() const { return std::make_unique<FolderParts>(folder_, false); }

namespace {

/// Returns the polygons sorted by their start, which is the drawing order. Most files have this order already.
Polygons in_order_of_start(Polygons polygons) {
    std::vector<std::uint32_t> order(polygons.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto first_step = [&](std::uint32_t i) { return polygons.first_step(i); };
    if (std::ranges::is_sorted(order, {}, first_step)) return polygons;
    std::ranges::stable_sort(order, {}, first_step);
    Polygons sorted;
    for (const std::uint32_t i : order) {
        for (std::uint64_t p = polygons.begin_of(i); p < polygons.ends[i]; ++p) sorted.points.push_back(polygons.points[p]);
        sorted.ends.push_back(sorted.points.size());
        sorted.size_bytes.push_back(polygons.size_bytes[i]);
        sorted.element.push_back(polygons.element[i]);
    }
    return sorted;
}

/// Makes the polygons, which must be in drawing order, the allocations of the only device of `snapshot`.
void take_polygons(Polygons polygons, const SnapviewerElements& elements, Snapshot& snapshot) {
    DeviceTrace& trace = snapshot.devices.front();
    AllocationColumns& out = trace.allocations;
    for (const PathPoint& point : polygons.points) trace.end_step = std::max(trace.end_step, point.step);
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        const std::uint64_t element = polygons.element[i];
        const bool has_event = element != Polygons::k_not_given && elements.has_events;
        const auto event = has_event ? EventId{static_cast<std::uint32_t>(element)} : EventId::none();
        const bool is_free = has_event && trace.events.action[event.value] == Action::free_completed;
        const EventRow of_event = has_event ? trace.events.row(event.value) : EventRow{};
        out.push({.address = of_event.address,
                  .size_bytes = polygons.size_bytes[i],
                  .stream = of_event.stream,
                  .pool = of_event.pool,
                  .origin = !has_event ? Origin::standing
                            : is_free  ? Origin::freed
                                       : Origin::alloc,
                  .state = polygons.last_step(i) < trace.end_step ? AllocationState::freed : AllocationState::live,
                  .alloc_event = is_free ? EventId::none() : event,
                  .free_event = is_free ? event : EventId::none(),
                  .stack = element == Polygons::k_not_given ? StackId::none()
                           : has_event                      ? of_event.stack
                                                            : elements.stacks[element]});
    }
    trace.allocations_are_given = !polygons.ends.empty();
    trace.recorded_paths = {std::move(polygons.points), std::move(polygons.ends)};
}

/// Fills the actions of `trace`: the starts and ends of all polygons, sorted by step.
void order_actions(DeviceTrace& trace) {
    struct StartOrEnd {
        std::uint64_t step;
        std::uint8_t phase;  ///< Order within a step: 0 = ends, 1 = starts, 2 = ends of allocations that live for no step
        std::uint32_t id;
        auto operator<=>(const StartOrEnd&) const = default;
    };
    std::vector<StartOrEnd> changes;
    const RecordedPaths& paths = trace.recorded_paths;
    for (std::uint32_t id = 0; id < paths.ends.size(); ++id) {
        const std::uint64_t first = paths.points[id == 0 ? 0 : paths.ends[id - 1]].step;
        const std::uint64_t last = paths.points[paths.ends[id] - 1].step;
        if (first == 0 && trace.initial_count == id) {
            ++trace.initial_count;
        } else {
            changes.push_back({first, 1, id});
        }
        if (last < trace.end_step) changes.push_back({last, static_cast<std::uint8_t>(first < last ? 0 : 2), id});
    }
    std::ranges::sort(changes);
    for (const StartOrEnd& change : changes) {
        trace.actions.push_back(AllocationId{change.id});
        trace.action_steps.push_back(change.step);
    }
}

/// Makes the last allocation that starts at step 0 the first alloc of the recording, unless its first event is a free. In
/// files without events a first alloc takes the first step, so that no free ends before step 2; an end at step 1 means that
/// the first event is a free.
void find_first_alloc(DeviceTrace& trace) {
    const bool begins_with_free =
        !trace.action_steps.empty() && trace.action_steps.front() == 1 && trace.actions.front().value < trace.initial_count;
    if (trace.initial_count == 0 || begins_with_free) return;
    --trace.initial_count;
    trace.actions.insert(trace.actions.begin(), AllocationId{trace.initial_count});
    trace.action_steps.insert(trace.action_steps.begin(), 0);
}

/// Builds events from the order, sizes and stacks of starts and ends, for files without events.
void make_events(DeviceTrace& trace) {
    AllocationColumns& allocations = trace.allocations;
    for (std::uint32_t id = 0; id < allocations.size(); ++id) {
        const bool is_freed = allocations.state[id] == AllocationState::freed;
        allocations.origin[id] = id >= trace.initial_count ? Origin::alloc : is_freed ? Origin::freed : Origin::standing;
    }
    std::uint32_t begun = trace.initial_count;  // allocations begin in the order of their ids
    for (const AllocationId id : trace.actions) {
        const bool begins = id.value == begun;
        begun += begins ? 1 : 0;
        const EventId event{static_cast<std::uint32_t>(trace.events.size())};
        trace.events.push({.action = begins ? Action::alloc : Action::free_completed,
                           .size_bytes = allocations.size_bytes[id.value],
                           .stream = allocations.stream[id.value],
                           .stack = begins ? allocations.stack[id.value] : StackId::none()});
        (begins ? allocations.alloc_event : allocations.free_event)[id.value] = event;
    }
}

/// Reads polygons and elements in parallel, because both are of about the same size unless stacks are deep. If both fail,
/// throws the failure of the polygons.
std::pair<Polygons, SnapviewerElements> read_both(SnapviewerParts& parts) {
    const std::unique_ptr<SnapviewerParts> clone = parts.clone();
    std::future<Polygons> polygons = start_async([&] {
        Polygons read;
        clone->read("allocations.json", [&](ByteSource& text) { read = read_polygons(text); });
        return read;
    });
    std::exception_ptr failure;
    SnapviewerElements elements;
    try {
        elements = read_elements(parts);
    } catch (...) {
        failure = std::current_exception();
    }
    Polygons read = polygons.get();
    if (failure) std::rethrow_exception(failure);
    return {std::move(read), std::move(elements)};
}

}  // namespace

bool is_snapviewer(const SnapviewerParts& parts) { return parts.has("allocations.json"); }

std::unique_ptr<Snapshot> read_snapviewer(SnapviewerParts& parts) {
    auto [polygons, elements] = read_both(parts);
    polygons.element = elements_of(polygons, elements);
    check_stop();
    std::unique_ptr<Snapshot> snapshot = std::move(elements.snapshot);
    if (snapshot->streams.empty()) snapshot->streams.push_back(0);
    take_polygons(in_order_of_start(std::move(polygons)), elements, *snapshot);
    check_stop();
    order_actions(snapshot->devices.front());
    check_stop();
    if (!elements.has_events) {
        find_first_alloc(snapshot->devices.front());
        make_events(snapshot->devices.front());
    }
    return snapshot;
}

}  // namespace snapviewer
