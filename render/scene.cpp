#include "render/scene.h"

#include <algorithm>
#include <cmath>

namespace snapviewer {

SplitNumber::SplitNumber(double number) {
    const double floor = std::floor(number);
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(floor, -0x1p62, 0x1p62)));
    whole = glm::uvec2(static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
    rest = static_cast<float>(number - floor);
}

void set_colours(const gl::Program& program, const Scene& scene, std::uint32_t colours_unit,
                 std::uint32_t standing_out_unit) {
    program.set_table("colours", colours_unit, scene.colours);
    program.set_table("standing_out", standing_out_unit, scene.standing_out);
    program.set("no_others", scene.darkest_grey == 0 ? ~std::uint32_t{0} : 0);
    program.set("darkest_grey", scene.darkest_grey);
}

void set_place(const gl::Program& program, const Scene& scene) {
    const View& view = scene.view;
    const glm::dvec2 pixel = glm::dvec2(view.width(), view.height()) / glm::dvec2(scene.size_px);
    const double origin = std::floor(view.x_begin + view.width() / 2);
    program.set("origin", SplitNumber(origin).whole);
    program.set("first_edge", static_cast<float>(view.x_begin - origin));
    program.set("column_width", static_cast<float>(pixel.x));
    program.set("slide", static_cast<float>(scene.slide));
    const SplitNumber first_row(view.y_begin + pixel.y / 2);
    const SplitNumber row(pixel.y);
    program.set("first_row", first_row.whole);
    program.set("first_row_rest", first_row.rest);
    program.set("row_bytes", row.whole);
    program.set("row_bytes_rest", row.rest);
}

}  // namespace snapviewer
