#include "app/picture/icicle_picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>

#include "app/features/reports/icicle_view.h"
#include "app/picture/studio.h"
#include "app/ui/characters.h"
#include "app/ui/theme.h"
#include "core/base/addresses.h"

namespace snapviewer {

Status render_icicle(const Document& document, std::size_t icicle_index, const RenderOptions& options) {
    const Icicle& icicle = document.icicles[icicle_index];
    const Result<Studio> studio =
        Studio::create(options.width_px, options.height_px, {.ground = options.ground}, is_svg_path(options.out));
    if (!studio) return studio.error();
    need_characters(characters_of(document));

    IcicleWindow window = whole_icicle(icicle);
    if (options.view) window = {options.view->x_begin, options.view->x_end, 0};
    const std::string title = fmt::format("{}  ·  {}  ·  {}", shown_name(document.path), icicle.name, totals_text(icicle));
    studio->draw_captioned(scaled(14), title, [&](float top, ImVec2 size) {
        draw_icicle_picture({icicle, window, {}, {}}, {0, top}, {size.x, size.y - top});
    });
    if (!is_svg_path(options.out)) return studio->write_png(options.out);
    return studio->write_svg(options.out, title, {});
}

}  // namespace snapviewer
