#include "core/load/snapviewer_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/load/failure.h"
#include "core/load/json_objects.h"
#include "core/load/limits.h"

namespace snapviewer {
namespace {

// ---------------------------------------------------------------------------------------------------- elements in JSON

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
std::size_t promised_shards(const SnapviewerParts& parts) {
    for (const std::string& name : parts.names()) {
        std::size_t count = 0;
        const std::size_t digits = read_number(name, count);
        if (digits > 0 && std::string_view(name).substr(digits) == ".meta") return count;
    }
    return 0;
}

SnapviewerElements read_json_elements(SnapviewerParts& parts, const std::vector<std::string>& files) {
    ObjectBuilder builder(budget_of_thread());
    std::vector<Value> roots;
    for (const std::string& name : files) {
        parts.read(name, [&](ByteSource& text) {
            roots.push_back(read_json_objects(text, builder));
            builder.check_events(roots.back());
        });
    }
    SnapviewerElements elements;
    elements.snapshot = builder.finish_events(roots);
    if (const std::size_t promised = promised_shards(parts); promised > files.size()) {
        elements.snapshot->log.add(
            ImportCode::missing_shards,
            fmt::format("elements_{}.json is missing; of the {} files of elements, only those before it are read",
                        files.size(), promised),
            {}, promised - files.size());
    }
    return elements;
}

// ---------------------------------------------------------------------------------------------------- elements in SQLite

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
    const std::shared_ptr<SqliteFile> file = parts.open_database("elements.db");
    const auto query = [&](const char* sql) {
        Result<SqliteRows> rows = file->query(sql);
        if (!rows) throw Failure{rows.error()};
        return std::move(*rows);
    };
    SnapviewerElements elements;
    elements.has_events = false;
    elements.snapshot = std::make_unique<Snapshot>();
    elements.snapshot->devices.emplace_back();
    SqliteRows rows = query("SELECT idx, callstack FROM allocs ORDER BY idx");
    std::map<std::string, StackId> known;  // a std::map, so that no file can provoke hash collisions
    while (rows.next()) {
        if (rows.integer(0) != static_cast<std::int64_t>(elements.stacks.size())) break;  // stop at the first missing row
        if (elements.stacks.size() >= limits::k_allocations) fail("holds more elements than can be numbered");
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
        elements.snapshot->log.add(ImportCode::elements_cut_short,
                                   "elements.db could not be read to the end: " + rows.status().error().text());
    }
    return elements;
}

// ---------------------------------------------------------------------------------------------------- elements of polygons

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
    if (missing == 0) return;
    log.add(ImportCode::allocation_without_element,
            "allocations without an element, of which only the size and outline are known", {}, missing);
}

std::vector<std::uint64_t> elements_by_place(const Polygons& polygons, const SnapviewerElements& elements, ImportLog& log) {
    std::vector<std::uint64_t> found(polygons.size(), Polygons::k_not_given);
    if (!places_agree(polygons, elements)) {
        log.add(ImportCode::elements_out_of_step,
                "the elements are not in the order of the allocations, and the allocations do not say which element is "
                "theirs; because a stack might belong to another allocation, none is shown",
                {}, polygons.size());
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
    fail(
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
        log.add(ImportCode::elements_out_of_step,
                "allocations that name an element of another size, or one that already belongs to another allocation; their "
                "stacks are not shown",
                {}, contradicted);
    }
    if (moved > 0 && !elements.has_events) {
        log.add(ImportCode::elements_put_right,
                "elements.db lists its stacks in the order of events but the allocations in drawing order, which pairs "
                "these allocations with the wrong stacks; here each one has its own",
                {}, moved);
    }
    return found;
}

}  // namespace snapviewer
