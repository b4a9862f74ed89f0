#include "core/load/converted/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/pytorch/json_scanner.h"
#include "core/load/pytorch/json_snapshot.h"
#include "core/load/pytorch/object_builder.h"

namespace snapviewer::converted {
namespace {

constexpr std::uint64_t k_max_value = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// JSON handler for allocations.json: a list of flat objects whose values are numbers or lists of numbers.
class PolygonHandler {
public:
    explicit PolygonHandler(Polygons& out) : out_(out) {}

    void null() { other("null"); }
    void boolean(bool) { other("true or false"); }
    void negative(std::int64_t) { other("a negative number"); }
    void real(double) { other("a fractional number"); }
    void string(std::string_view) { other("a string"); }
    void whole(std::uint64_t value) {
        if (depth_ < 2) reject("a number where a list of allocations was expected");
        if (field_ == Field::unknown) return;
        if (value > k_max_value) reject("a number above 2^63");
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
        if (depth_ != 2) reject("an object in an unexpected place; expected a list of allocations");
        steps_.clear();
        offsets_.clear();
        size_ = element_ = Polygons::k_not_given;
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

    [[noreturn]] static void reject(const std::string& what) { bytes::fail("holds " + what); }
    void other(const char* what) const {
        if (depth_ < 2 || field_ != Field::unknown) reject(std::string(what) + " where a whole number was expected");
    }
    [[noreturn]] static void wrong_type() {
        reject(
            "an allocation whose values have the wrong types; expected lists for \"timesteps\" and \"offsets\", and a "
            "number for \"size\"");
    }

    void finish_polygon() {
        if (steps_.empty() || steps_.size() != offsets_.size()) {
            reject("allocation " + std::to_string(out_.size()) + " with " + std::to_string(steps_.size()) +
                   " timesteps and " + std::to_string(offsets_.size()) +
                   " offsets; expected the same number of both, and at least one");
        }
        if (size_ == Polygons::k_not_given) reject("allocation " + std::to_string(out_.size()) + " without \"size\"");
        if (!std::ranges::is_sorted(steps_))
            reject("allocation " + std::to_string(out_.size()) + " whose timesteps go backwards");
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            if (offsets_[i] > k_max_value - size_) reject("an offset above 2^63");
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
    std::uint64_t size_ = Polygons::k_not_given;
    std::uint64_t element_ = Polygons::k_not_given;
};

}  // namespace

bool looks_like_polygons(std::string_view front) {
    return pytorch::looks_like_json(front) && front.find("\"timesteps\"") != front.npos;
}

Polygons read_polygons(bytes::ByteSource& text) {
    Polygons polygons;
    PolygonHandler handler(polygons);
    pytorch::JsonScanner(text, handler).run();
    return polygons;
}

namespace {

// ---------------------------------------------------------------------------------------------------- reading elements.json

/// Returns the names of the files with elements: elements.json, or elements_0.json, elements_1.json, ... up to the first
/// that is missing.
std::vector<std::string> element_files(const SnapviewerParts& parts) {
    if (parts.has("elements.json")) return {"elements.json"};
    std::vector<std::string> files;
    const std::vector<std::string> all = parts.names();
    const std::set<std::string> names(all.begin(), all.end());
    while (names.contains(fmt::format("elements_{}.json", files.size())))
        files.push_back(fmt::format("elements_{}.json", files.size()));
    return files;
}

/// Returns the number of shards according to the name of the file N.meta. Returns 0 if there is no such file.
std::size_t declared_shards(const SnapviewerParts& parts) {
    for (const std::string& name : parts.names()) {
        std::size_t count = 0;
        const std::size_t digits = read_number(name, count);
        if (digits > 0 && std::string_view(name).substr(digits) == ".meta") return count;
    }
    return 0;
}

SnapviewerElements read_json_elements(SnapviewerParts& parts, const std::vector<std::string>& files) {
    pytorch::ObjectBuilder builder(budget_of_thread());
    std::vector<pytorch::Value> roots;
    for (const std::string& name : files) {
        parts.read(name, [&](bytes::ByteSource& text) {
            roots.push_back(pytorch::read_json_objects(text, builder));
            pytorch::check_events(builder, roots.back());
        });
    }
    SnapviewerElements elements;
    elements.snapshot = pytorch::finish_events(builder, roots);
    if (const std::size_t promised = declared_shards(parts); promised > files.size())
        elements.snapshot->log.add("missing_shards", {.count = promised - files.size()}, {files.size(), promised});
    return elements;
}

// ---------------------------------------------------------------------------------------------------- reading elements.db

StackId parse_stack(std::string_view text, Snapshot& snapshot) {
    std::vector<FrameId> frames;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.empty()) frames.push_back(snapshot.stacks.intern_frame(parse_frame(line, snapshot.strings)));
    }
    return frames.empty() ? StackId::none() : snapshot.stacks.intern_stack(frames);
}

SnapviewerElements read_database(SnapviewerParts& parts) {
    const std::shared_ptr<sqlite::SqliteFile> file = parts.open_database("elements.db");
    const auto query = [&](const char* sql) {
        Result<sqlite::SqliteRows> rows = file->query(sql);
        if (!rows) throw Failure{rows.error()};
        return std::move(*rows);
    };
    SnapviewerElements elements;
    elements.has_events = false;
    elements.snapshot = std::make_unique<Snapshot>();
    elements.snapshot->devices.emplace_back();
    sqlite::SqliteRows rows = query("SELECT idx, callstack FROM allocs ORDER BY idx");
    std::map<std::string, StackId> known;  // a std::map, so that no file can provoke hash collisions
    while (rows.next()) {
        if (rows.integer(0) != static_cast<std::int64_t>(elements.stacks.size())) break;  // stop at the first missing row
        if (elements.stacks.size() >= limits::k_allocations) bytes::fail("holds more elements than can be numbered");
        std::string text(rows.text(1));
        const auto place = known.find(text);
        if (place != known.end()) {
            elements.stacks.push_back(place->second);
            continue;
        }
        elements.stacks.push_back(parse_stack(text, *elements.snapshot));
        known.emplace(std::move(text), elements.stacks.back());
    }
    if (!rows.status()) {
        const ErrorCode code = rows.status().error().code;
        const bool ends_all = code == ErrorCode::cancelled || code == ErrorCode::unsupported || code == ErrorCode::memory;
        if (ends_all || elements.stacks.empty()) throw Failure{rows.status().error()};
        elements.snapshot->log.add("elements_cut_short", {}, {rows.status().error().text()});
    }
    return elements;
}

// ------------------------------------------------------------------------------------------ matching polygons with elements

/// True if polygons without element numbers may use the elements of the same index.
bool places_agree(const Polygons& polygons, const SnapviewerElements& elements) {
    if (!elements.has_events) {
        // blocks from before the recording start at step 0, and so does the first alloc
        std::size_t standing = 0;
        while (standing < polygons.size() && polygons.first_step(standing) == 0) ++standing;
        return standing <= 1;
    }
    const EventColumns& events = elements.snapshot->devices.front().events;
    for (std::size_t i = 0; i < std::min(polygons.size(), events.size()); ++i) {
        const bool is_late_free = i > 0 && events.action[i] == Action::free_completed;
        if (is_late_free || events.size_bytes[i] != polygons.size_bytes[i]) return false;
    }
    return true;
}

void report_missing(std::uint64_t missing, ImportLog& log) {
    if (missing > 0) log.add("allocation_without_element", {.count = missing});
}

std::vector<std::uint64_t> elements_by_place(const Polygons& polygons, const SnapviewerElements& elements, ImportLog& log) {
    std::vector<std::uint64_t> found(polygons.size(), Polygons::k_not_given);
    if (!places_agree(polygons, elements)) {
        log.add("elements_out_of_step", {.count = polygons.size()},
                {"the elements are not in the order of the allocations, and the allocations do not say which element is "
                 "theirs; because a stack might belong to another allocation, none is shown"});
        return found;
    }
    const std::size_t known = std::min(polygons.size(), elements.size());
    for (std::size_t i = 0; i < known; ++i) found[i] = i;
    report_missing(polygons.size() - known, log);
    return found;
}

}  // namespace

Frame parse_frame(std::string_view line, StringPool& strings) {
    if (line.starts_with('(')) {
        const std::size_t end = line.find_first_not_of("0123456789", 1);
        if (end != line.npos && end > 1 && line.substr(end).starts_with(") ")) line.remove_prefix(end + 2);
    }
    for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':', colon + 1)) {
        std::size_t end = colon + 1;
        while (end < line.size() && is_digit(line[end])) ++end;
        if (end == colon + 1 || end >= line.size() || line[end] != ':') continue;
        Frame frame{strings.intern(line.substr(0, colon)), strings.intern(line.substr(end + 1)), 0};
        std::uint64_t written = 0;
        read_number(line.substr(colon + 1, end - colon - 1), written);
        frame.line = frame_line(written);
        return frame;
    }
    return {strings.intern(""), strings.intern(line), 0};
}

SnapviewerElements read_elements(SnapviewerParts& parts) {
    if (const std::vector<std::string> files = element_files(parts); !files.empty()) return read_json_elements(parts, files);
    if (parts.has("elements.db")) return read_database(parts);
    bytes::fail(
        "is a SnapViewer trace without its elements; expected elements.json, elements_0.json or elements.db next to "
        "allocations.json");
}

std::vector<std::uint64_t> elements_of(const Polygons& polygons, SnapviewerElements& elements) {
    ImportLog& log = elements.snapshot->log;
    if (std::ranges::all_of(polygons.element, [](std::uint64_t element) { return element == Polygons::k_not_given; }))
        return elements_by_place(polygons, elements, log);
    const EventColumns& events = elements.snapshot->devices.front().events;
    std::vector<bool> is_taken(elements.size());
    std::vector<std::uint64_t> found(polygons.size(), Polygons::k_not_given);
    std::uint64_t missing = 0, contradicted = 0, moved = 0;
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        const std::uint64_t element = polygons.element[i];
        if (element >= elements.size()) {
            ++missing;
        } else if (is_taken[element] || (elements.has_events && events.size_bytes[element] != polygons.size_bytes[i])) {
            ++contradicted;
        } else {
            is_taken[element] = true;
            found[i] = element;
            moved += element != i ? 1 : 0;
        }
    }
    report_missing(missing, log);
    if (contradicted > 0) {
        log.add(
            "elements_out_of_step", {.count = contradicted},
            {"allocations that name an element of another size, or one that already belongs to another allocation; their "
             "stacks are not shown"});
    }
    if (moved > 0 && !elements.has_events) log.add("elements_put_right", {.count = moved});
    return found;
}

}  // namespace snapviewer::converted
