#include "core/load/converted/reader.h"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <future>
#include <numeric>
#include <utility>

#include "core/base/input_files.h"
#include "core/base/job.h"
#include "core/base/limits.h"
#include "core/load/pytorch/json_scanner.h"
#include "core/system/files.h"

namespace snapviewer::converted {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_copy_batch_bytes = 1 << 20;

constexpr std::string_view k_data_name = "let alloc_data =";
constexpr std::uint64_t k_nothing = ~std::uint64_t{0};  ///< Represents JSON's null in the lists of PlotLists

/// Byte source of the JSON on the line of the page that begins with k_data_name.
class PlotData : public bytes::ByteSource {
public:
    explicit PlotData(bytes::ByteSource& page) : page_(page) {}

    std::string_view next_piece() override {
        std::string_view piece;
        while (!has_begun_) {
            piece = page_.next_piece();
            if (piece.empty()) bytes::fail("is an HTML page of PyTorch's viewer without its data");
            piece.remove_prefix(end_of_name(piece));
        }
        if (at_end_) return {};
        if (piece.empty()) piece = page_.next_piece();
        const std::size_t end = piece.find('\n');
        if (end == piece.npos) return piece;
        at_end_ = true;
        piece = piece.substr(0, end);
        return piece.substr(0, piece.find_last_not_of("; \t\r") + 1);
    }

private:
    /// Returns the number of bytes up to the end of the name. Returns the size of the piece if the name is not complete yet.
    std::size_t end_of_name(std::string_view piece) {
        for (std::size_t i = 0; i < piece.size(); ++i) {
            matched_ = piece[i] == k_data_name[matched_] ? matched_ + 1 : piece[i] == k_data_name[0] ? 1 : 0;
            has_begun_ = matched_ == k_data_name.size();
            if (has_begun_) return i + 1;
        }
        return piece.size();
    }

    bytes::ByteSource& page_;
    std::size_t matched_ = 0;
    bool has_begun_ = false;
    bool at_end_ = false;
};

/// The lists of the page that snapviewer uses. Their numbers are indices into each other.
struct PlotLists {
    std::vector<std::uint64_t> actions;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint64_t> stacks;      ///< Stack of each element: index of a pair of `suffixes`, or k_nothing
    std::vector<std::uint64_t> categories;  ///< Category of each element: index into `category_names`, or k_nothing
    std::vector<std::uint64_t> initial;
    std::vector<std::uint64_t> suffixes;  ///< Pairs of an index into `texts` and the index of the rest of the stack
    std::vector<std::string> texts;
    std::vector<std::string> category_names;
};

/// JSON handler that stores values in the list of their key.
class PlotHandler {
public:
    const PlotLists& lists() const { return lists_; }

    void null() {
        if (depth_ > 1) take(k_nothing);
    }
    void boolean(bool /*value*/) { bytes::fail("holds true or false where a number was expected"); }
    void whole(std::uint64_t value) { take(value); }
    void negative(std::int64_t /*value*/) { bytes::fail("holds a negative number where none was expected"); }
    void real(double /*value*/) { bytes::fail("holds a fraction where a whole number was expected"); }
    void string(std::string_view text) {
        if (texts_ == nullptr) return;
        texts_->emplace_back(text);
    }
    void key(std::string_view key) {
        if (depth_ != 1) return;
        const std::array numbers = {std::pair("actions", &lists_.actions),
                                    std::pair("elements_size", &lists_.sizes),
                                    std::pair("elements_info", &lists_.stacks),
                                    std::pair("elements_category", &lists_.categories),
                                    std::pair("initially_allocated", &lists_.initial),
                                    std::pair("suffix_table", &lists_.suffixes)};
        numbers_ = nullptr;
        texts_ = key == "string_table" ? &lists_.texts : key == "categories" ? &lists_.category_names : nullptr;
        for (const auto& [name, list] : numbers) {
            if (key == name) numbers_ = list;
        }
    }
    void begin_object() { ++depth_; }
    void end_object() { --depth_; }
    void begin_array() { ++depth_; }
    void end_array() { --depth_; }

private:
    void take(std::uint64_t value) {
        if (numbers_ == nullptr) return;
        if (numbers_->size() >= limits::k_json_values) bytes::fail("holds more values in one place than any real page");
        numbers_->push_back(value);
    }

    PlotLists lists_;
    int depth_ = 0;
    std::vector<std::uint64_t>* numbers_ = nullptr;
    std::vector<std::string>* texts_ = nullptr;
};

/// Builds allocations and events from the lists.
class PlotBuilder {
public:
    explicit PlotBuilder(const PlotLists& lists) : lists_(lists), live_(lists.sizes.size(), k_not_live) {}

    std::unique_ptr<Snapshot> run() {
        snapshot_->streams.push_back(0);
        DeviceTrace& trace = snapshot_->devices.emplace_back();
        trace.allocations_are_given = true;
        for (const std::uint64_t element : lists_.initial) {
            if (is_live(element)) bytes::fail("names an element twice among those that are there from the beginning");
            begin(element, Origin::standing);
        }
        trace.initial_count = static_cast<std::uint32_t>(trace.allocations.size());
        for (std::size_t i = 0; i < lists_.actions.size(); ++i) {
            if (i % k_stop_steps == 0) check_stop();
            take_action(lists_.actions[i]);
        }
        return std::move(snapshot_);
    }

private:
    static constexpr std::uint32_t k_not_live = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t k_stop_steps = 4096;

    /// Adds the event of an action. The first action of an element allocates it, unless it existed from the beginning; the
    /// next action frees it.
    void take_action(std::uint64_t element) {
        DeviceTrace& trace = snapshot_->devices.front();
        AllocationColumns& allocations = trace.allocations;
        const EventId event{static_cast<std::uint32_t>(trace.events.size())};
        const bool is_free = is_live(element);
        if (!is_free) begin(element, Origin::alloc);
        const AllocationId id{live_[element]};
        trace.events.push({.action = is_free ? Action::free_completed : Action::alloc,
                           .size_bytes = allocations.size_bytes[id.value],
                           .stack = is_free ? StackId::none() : allocations.stack[id.value],
                           .metadata = category_of(element)});
        trace.actions.push_back(id);
        if (!is_free) {
            allocations.alloc_event[id.value] = event;
            return;
        }
        allocations.free_event[id.value] = event;
        allocations.state[id.value] = AllocationState::freed;
        if (allocations.origin[id.value] == Origin::standing) allocations.origin[id.value] = Origin::freed;
        live_[element] = k_not_live;
    }

    bool is_live(std::uint64_t element) const {
        if (element >= live_.size()) bytes::fail("names an element that is not in its list of sizes");
        return live_[element] != k_not_live;
    }

    void begin(std::uint64_t element, Origin origin) {
        AllocationColumns& allocations = snapshot_->devices.front().allocations;
        if (allocations.size() >= limits::k_allocations) bytes::fail("holds more elements than can be numbered");
        if (lists_.sizes[element] > static_cast<std::uint64_t>(limits::k_profiled_block_bytes))
            bytes::fail("holds an element larger than any device");
        live_[element] = static_cast<std::uint32_t>(allocations.size());
        allocations.push({.size_bytes = lists_.sizes[element], .origin = origin, .stack = stack_of_element(element)});
    }

    StackId stack_of_element(std::uint64_t element) {
        if (element >= lists_.stacks.size() || lists_.stacks[element] == k_nothing) return StackId::none();
        return stack_of(lists_.stacks[element]);
    }

    /// Interns the stack with the index `place`. A stack consists of a text and the index of the rest of the stack, which
    /// comes earlier.
    StackId stack_of(std::uint64_t place) {
        const std::size_t count = lists_.suffixes.size() / 2;
        if (known_stacks_.empty()) known_stacks_.assign(count, StackId::none());
        if (place >= count) bytes::fail("refers to a stack that it does not hold");
        StackId& known = known_stacks_[place];
        if (known.is_some()) return known;
        frames_.clear();
        for (std::uint64_t at = place; at != k_nothing;) {
            const std::uint64_t text = lists_.suffixes[2 * at];
            const std::uint64_t rest = lists_.suffixes[2 * at + 1];
            if (text >= lists_.texts.size() || (rest != k_nothing && rest >= at))
                bytes::fail("holds a stack that leads nowhere");
            frames_.push_back(frame_of(text));
            at = rest;
        }
        check_stop();
        return known = snapshot_->stacks.intern_stack(frames_);
    }

    FrameId frame_of(std::uint64_t text) {
        if (known_frames_.empty()) known_frames_.assign(lists_.texts.size(), FrameId::none());
        FrameId& known = known_frames_[text];
        if (!known.is_some()) known = snapshot_->stacks.intern_frame(parse_frame(lists_.texts[text], snapshot_->strings));
        return known;
    }

    /// Returns the category of an element, or none(). Only pages of profile_plot have categories.
    MetadataId category_of(std::uint64_t element) {
        const std::vector<std::string>& names = lists_.category_names;
        if (element >= lists_.categories.size() || lists_.categories[element] >= names.size()) return MetadataId::none();
        if (categories_.empty()) categories_.assign(names.size(), MetadataId::none());
        MetadataId& known = categories_[lists_.categories[element]];
        if (known.is_some()) return known;
        known = MetadataId{static_cast<std::uint32_t>(snapshot_->metadata.size())};
        EventMetadata metadata;
        metadata.category = snapshot_->strings.intern(names[lists_.categories[element]]);
        snapshot_->metadata.push_back(metadata);
        return known;
    }

    const PlotLists& lists_;
    std::unique_ptr<Snapshot> snapshot_ = std::make_unique<Snapshot>();
    std::vector<std::uint32_t> live_;  ///< Allocation of each element, or k_not_live
    std::vector<StackId> known_stacks_;
    std::vector<FrameId> known_frames_;
    std::vector<FrameId> frames_;
    std::vector<MetadataId> categories_;
};

}  // namespace

bool SnapviewerParts::has(std::string_view name) const { return std::ranges::count(names(), name) > 0; }

// -------------------------------------------------------------------------------------- parts in a zip archive: ZippedParts

std::vector<std::string> ZippedParts::names() const {
    std::vector<std::string> names;
    for (const bytes::ZipArchive::Member& member : archive_.members())
        names.push_back(member.name.substr(member.name.rfind('/') + 1));
    return names;
}

void ZippedParts::read(const std::string& name, const std::function<void(bytes::ByteSource&)>& take) {
    const bytes::ZipArchive::Member& member = *archive_.find(name);
    bytes::in_context("member " + member.name, [&] {
        bytes::ZipMemberReader reader(archive_, member, own_ == nullptr);
        bytes::ReadAhead text(reader);
        take(text);
    });
}

std::shared_ptr<sqlite::SqliteFile> ZippedParts::open_database(const std::string& name) {
    const bytes::ZipArchive::Member& member = *archive_.find(name);
    if (member.size_bytes > limits::k_database_bytes)
        bytes::fail("holds a database that is too large to unpack", {}, "member " + member.name);
    return bytes::in_context("member " + member.name, [&] {
        ScratchFile scratch = value_or_throw(ScratchFile::create(member.size_bytes));
        bytes::ZipMemberReader reader(archive_, member);
        std::vector<char> buffer(k_copy_batch_bytes);
        std::uint64_t written_bytes = 0;
        while (const std::size_t size = reader.read(buffer)) {
            check_stop();
            throw_if_error(budget_of_thread().unpack(size));
            if (written_bytes + size > limits::k_database_bytes)
                bytes::fail("unpacks to more bytes than the zip directory states");
            const auto bytes = std::as_bytes(std::span(buffer).first(size));
            if (Status written = scratch.write(bytes, written_bytes); !written) throw Failure{written.error()};
            written_bytes += size;
        }
        return value_or_throw(sqlite::SqliteFile::open_unpacked(std::move(scratch), name));
    });
}

std::unique_ptr<SnapviewerParts> ZippedParts::clone() const {
    return std::unique_ptr<SnapviewerParts>(new ZippedParts(std::make_unique<bytes::ZipArchive>(archive_.bytes())));
}

// ------------------------------------------------------------------------------------------- parts in a folder: FolderParts

std::vector<std::string> FolderParts::names() const {
    std::error_code ignored;
    return list_names(folder_, ignored);
}

std::string FolderParts::path_of(const std::string& name) const { return (fs::path(folder_) / name).string(); }

void FolderParts::read(const std::string& name, const std::function<void(bytes::ByteSource&)>& take) {
    bytes::in_context("file " + name, [&] {
        MappedFile file = value_or_throw(MappedFile::open(path_of(name)));
        budget_of_thread().add_file(file.size_bytes());
        bytes::MappedSource text(file, reports_progress_);
        try {
            take(text);
        } catch (const Failure&) {
            throw_if_error(file.check_still_whole());
            throw;
        }
        throw_if_error(file.check_still_whole());
    });
}

std::shared_ptr<sqlite::SqliteFile> FolderParts::open_database(const std::string& name) {
    budget_of_thread().add_file_at(path_of(name));
    return bytes::in_context("file " + name, [&] { return value_or_throw(sqlite::SqliteFile::open(path_of(name))); });
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
    OccasionalStopCheck check;
    std::ranges::sort(changes, [&](const StartOrEnd& a, const StartOrEnd& b) {
        check();
        return a < b;
    });
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
        clone->read("allocations.json", [&](bytes::ByteSource& text) { read = read_polygons(text); });
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

bool looks_like_plot_page(std::string_view front) { return front.find(k_data_name) != front.npos; }

std::unique_ptr<Snapshot> read_plot_page(bytes::ByteSource& page) {
    PlotData data(page);
    PlotHandler handler;
    pytorch::JsonScanner scanner(data, handler);
    scanner.run();
    if (handler.lists().sizes.empty()) bytes::fail("is an HTML page of PyTorch's viewer that holds no allocations");
    return PlotBuilder(handler.lists()).run();
}

}  // namespace snapviewer::converted
