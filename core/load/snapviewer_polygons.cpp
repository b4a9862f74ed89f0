#include "core/load/snapviewer_polygons.h"

#include <algorithm>
#include <string>

#include "core/load/json_scanner.h"
#include "core/load/json_snapshot.h"
#include "core/load/limits.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

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
        if (value > k_largest) reject("a number above 2^63");
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

    [[noreturn]] static void reject(const std::string& what) { fail("holds " + what); }
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
            if (offsets_[i] > k_largest - size_) reject("an offset above 2^63");
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
    return looks_like_json(front) && front.find("\"timesteps\"") != front.npos;
}

Polygons read_polygons(ByteSource& text) {
    Polygons polygons;
    PolygonHandler handler(polygons);
    JsonScanner(text, handler).run();
    return polygons;
}

}  // namespace snapviewer
