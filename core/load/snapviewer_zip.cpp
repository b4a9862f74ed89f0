#include "core/load/snapviewer_zip.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/load/json_objects.h"
#include "core/load/json_scanner.h"
#include "core/load/limits.h"
#include "core/load/read_ahead.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_not_given = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t k_largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// allocations.json as columns.
struct Polygons {
    std::vector<PathPoint> points;
    std::vector<std::uint64_t> ends;
    std::vector<std::uint64_t> size_bytes;
    std::vector<std::uint64_t> element;  ///< or k_not_given

    std::size_t size() const { return ends.size(); }
    std::uint64_t begin_of(std::size_t i) const { return i == 0 ? 0 : ends[i - 1]; }
    std::uint64_t first_step(std::size_t i) const { return points[begin_of(i)].step; }
    std::uint64_t last_step(std::size_t i) const { return points[ends[i] - 1].step; }
};

/// Expects a list of flat objects whose values are numbers or lists of numbers.
class PolygonHandler {
public:
    explicit PolygonHandler(Polygons& out) : out_(out) {}

    void null() { other("null"); }
    void boolean(bool) { other("true or false"); }
    void negative(std::int64_t) { other("a negative number"); }
    void real(double) { other("a number that is not whole"); }
    void string(std::string_view) { other("a string"); }
    void whole(std::uint64_t value) {
        if (depth_ < 2) reject("a number where a list of allocations was expected");
        if (field_ == Field::unknown) return;
        if (value > k_largest) reject("a number beyond 2^63");
        if (depth_ != (is_list(field_) ? 3 : 2)) wrong_type();
        switch (field_) {
            case Field::timesteps: steps_.push_back(value); break;
            case Field::offsets: offsets_.push_back(value); break;
            case Field::size: size_ = value; break;
            case Field::element: element_ = value; break;
            case Field::unknown: break;
        }
    }
    void begin_object() {
        if (depth_++ >= 2 && field_ == Field::unknown) return;
        if (depth_ != 2) reject("an object where it should not be; expected a list of allocations");
        steps_.clear();
        offsets_.clear();
        size_ = element_ = k_not_given;
    }
    void key(std::string_view name) {
        if (depth_ > 2) return;
        field_ = name == "timesteps" ? Field::timesteps
                 : name == "offsets" ? Field::offsets
                 : name == "size"    ? Field::size
                 : name == "elem"    ? Field::element
                                     : Field::unknown;
    }
    void end_object() {
        if (--depth_ == 1) finish_polygon();
    }
    void begin_array() {
        const bool expected = depth_ == 0 || (depth_ >= 2 && field_ == Field::unknown) || (depth_ == 2 && is_list(field_));
        if (!expected) wrong_type();
        ++depth_;
    }
    void end_array() { --depth_; }

private:
    enum class Field : std::uint8_t { unknown, timesteps, offsets, size, element };

    static bool is_list(Field field) { return field == Field::timesteps || field == Field::offsets; }

    [[noreturn]] static void reject(const std::string& what) { fail("holds " + what); }
    void other(const char* what) const {
        if (depth_ < 2 || field_ != Field::unknown) reject(std::string(what) + " where a whole number was expected");
    }
    [[noreturn]] static void wrong_type() {
        reject(
            "an allocation whose values have the wrong types; \"timesteps\" and \"offsets\" are lists, \"size\" a number");
    }

    void finish_polygon() {
        if (steps_.empty() || steps_.size() != offsets_.size()) {
            reject("allocation " + std::to_string(out_.size()) + " with " + std::to_string(steps_.size()) +
                   " timesteps and " + std::to_string(offsets_.size()) +
                   " offsets; there must be as many, and at least one");
        }
        if (size_ == k_not_given) reject("allocation " + std::to_string(out_.size()) + " without \"size\"");
        if (!std::ranges::is_sorted(steps_))
            reject("allocation " + std::to_string(out_.size()) + " whose timesteps go back");
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (offsets_[i] > k_largest - size_) reject("an offset beyond 2^63");
            out_.points.push_back({steps_[i], offsets_[i]});
        }
        out_.ends.push_back(out_.points.size());
        out_.size_bytes.push_back(size_);
        out_.element.push_back(element_);
        if (out_.size() > limits::k_allocations) reject("more allocations than can be numbered");
        field_ = Field::unknown;
    }

    Polygons& out_;
    int depth_ = 0;
    Field field_ = Field::unknown;
    std::vector<std::uint64_t> steps_;
    std::vector<std::uint64_t> offsets_;
    std::uint64_t size_ = k_not_given;
    std::uint64_t element_ = k_not_given;
};

/// Drawing order is the order of starting; a file lists its polygons so, but need not.
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
        sorted.element.push_back(polygons.element[i] == k_not_given ? i : polygons.element[i]);
    }
    return sorted;
}

void take_polygons(Polygons polygons, Snapshot& snapshot) {
    DeviceTrace& trace = snapshot.devices.front();
    AllocationColumns& out = trace.allocations;
    for (const PathPoint& point : polygons.points) trace.end_step = std::max(trace.end_step, point.step);
    std::uint64_t without_element = 0;
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        const std::uint64_t element = polygons.element[i] == k_not_given ? i : polygons.element[i];
        const bool known = element < trace.events.size();
        const auto event = known ? EventId{static_cast<std::uint32_t>(element)} : EventId::none();
        const bool is_free = known && trace.events.action[event.value] == Action::free_completed;
        out.address.push_back(known ? trace.events.address[event.value] : 0);
        out.stream.push_back(known ? trace.events.stream[event.value] : 0);
        out.pool.push_back(known ? trace.events.pool[event.value] : k_no_pool);
        out.origin.push_back(!known ? Origin::standing : is_free ? Origin::freed : Origin::alloc);
        out.state.push_back(polygons.last_step(i) < trace.end_step ? AllocationState::freed : AllocationState::live);
        out.alloc_event.push_back(is_free ? EventId::none() : event);
        out.free_event.push_back(is_free ? event : EventId::none());
        out.stack.push_back(known ? trace.events.stack[event.value] : StackId::none());
        if (!known) ++without_element;
    }
    out.size_bytes = std::move(polygons.size_bytes);
    trace.recorded_paths = {std::move(polygons.points), std::move(polygons.ends)};
    if (without_element > 0) {
        snapshot.log.add(Severity::data_loss, "allocation_without_element",
                         "allocations that have no element, so that nothing but their size and path is known", {},
                         without_element);
    }
}

/// The starts and ends of all polygons in order of steps.
void order_actions(DeviceTrace& trace) {
    struct Change {
        std::uint64_t step;
        std::uint8_t phase;  ///< at one step: ends, then starts, then ends of what lived for no step at all
        std::uint32_t id;
        bool operator<(const Change& other) const {
            return std::tie(step, phase, id) < std::tie(other.step, other.phase, other.id);
        }
    };
    std::vector<Change> changes;
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
    std::ranges::sort(changes, std::less<>{});
    for (const Change& change : changes) {
        trace.actions.push_back(AllocationId{change.id});
        trace.action_steps.push_back(change.step);
    }
}

/// Gives a member's text to `read`, whose failures learn the member's name.
template <typename Read>
void read_member(ZipArchive& archive, const ZipArchive::Member& member, Progress& progress, Read read) {
    ZipMemberReader reader(archive, member, progress);
    ReadAhead text(reader, progress);
    try {
        read(text);
    } catch (ReadFailure& failure) {
        if (failure.error.code == ErrorCode::bad_file && failure.error.context.empty())
            failure.error.context = "member " + member.name;
        throw;
    }
}

}  // namespace

bool is_snapviewer_zip(const ZipArchive& archive) { return archive.find("allocations.json") != nullptr; }

std::unique_ptr<Snapshot> read_snapviewer_zip(ZipArchive& archive, Progress& progress) {
    const ZipArchive::Member* elements = archive.find("elements.json");
    if (elements == nullptr) {
        fail(
            "is a SnapViewer zip without elements.json; the layouts with several element files or elements.db are not read "
            "yet");
    }
    Polygons polygons;
    read_member(archive, *archive.find("allocations.json"), progress, [&](ByteSource& text) {
        PolygonHandler handler(polygons);
        JsonScanner(text, handler).run();
    });
    ObjectBuilder builder;
    Value root;
    read_member(archive, *elements, progress, [&](ByteSource& text) { root = read_json_objects(text, builder); });
    std::unique_ptr<Snapshot> snapshot = builder.finish_events(root);

    DeviceTrace& trace = snapshot->devices.front();
    if (snapshot->streams.empty()) snapshot->streams.push_back(0);
    take_polygons(in_order_of_start(std::move(polygons)), *snapshot);
    order_actions(trace);
    snapshot->kind = "snapviewer_zip";
    return snapshot;
}

}  // namespace snapviewer
