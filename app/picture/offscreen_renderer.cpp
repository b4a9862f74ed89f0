#include "app/picture/offscreen_renderer.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "app/picture/areas_svg.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/frame_painter.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/theme.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "render/framebuffer.h"
#include "render/gl/program.h"

namespace snapviewer::picture {
namespace {

constexpr float k_thickest_stroke_px = 4;  // maximum thickness of a line; thicker rectangles become filled shapes
constexpr float k_same_place_px = 0.02F;
constexpr float k_max_spaces = 3;  // maximum gap within a text, in widths of a space; a wider one separates two texts

ImVec2 middle(ImVec2 a, ImVec2 b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }
float distance(ImVec2 a, ImVec2 b) { return std::hypot(a.x - b.x, a.y - b.y); }
bool is_near(float a, float b) { return std::abs(a - b) < k_same_place_px; }
std::string place(ImVec2 at) { return svg_point(static_cast<double>(at.x), static_cast<double>(at.y)); }

/// A polyline: lines that each start where the previous one ended.
struct Stroke {
    ImU32 colour = 0;
    float width_px = 0;
    std::vector<ImVec2> points;
};

/// Consecutive characters on one line.
struct TextRun {
    ImU32 colour = 0;
    DrawnGlyph font;  ///< glyph of the first character
    float size_px = 0;
    float left = 0, base_line = 0, end = 0;
    std::string text;
};

/// Converts the commands of a frame to SVG, in drawing order.
class FrameWriter {
public:
    FrameWriter(const ImDrawData& frame, const SvgCanvas& canvas)
        : frame_(frame), canvas_(canvas), white_(ImGui::GetIO().Fonts->TexUvWhitePixel) {}

    std::string write() {
        for (int i = 0; i < frame_.CmdListsCount; ++i) {
            const ImDrawList& list = *frame_.CmdLists[i];
            for (const ImDrawCmd& command : list.CmdBuffer) write_command(list, command);
        }
        end_clip();
        return std::move(svg_);
    }

private:
    void write_command(const ImDrawList& list, const ImDrawCmd& command);
    void write_shape(std::span<const ImDrawVert> corners);
    bool go_on_with_text(std::span<const ImDrawVert> corners);
    bool go_on_with_stroke(std::span<const ImDrawVert> corners);
    void begin_clip(const ImVec4& rect);
    void end_clip();
    void end_text();
    void end_stroke();

    const ImDrawData& frame_;
    const SvgCanvas& canvas_;
    const ImVec2 white_;
    const GlyphTable glyphs_;
    std::string svg_;
    std::optional<Stroke> stroke_;
    std::optional<TextRun> text_;
    std::map<std::tuple<float, float, float, float>, int> clips_;
    std::optional<int> open_clip_;
};

/// Returns the next convex shape, a fan of triangles that share their first corner, which is how ImGui builds all its
/// shapes. Advances `at`.
std::vector<ImDrawVert> next_shape(std::span<const ImDrawIdx> indices, const ImDrawVert* vertices, std::size_t& at) {
    std::vector<ImDrawIdx> shape = {indices[at], indices[at + 1], indices[at + 2]};
    for (at += 3; at + 2 < indices.size() && indices[at] == shape.front() && indices[at + 1] == shape.back(); at += 3)
        shape.push_back(indices[at + 2]);
    std::vector<ImDrawVert> corners;
    for (const ImDrawIdx index : shape) corners.push_back(vertices[index]);
    return corners;
}

void FrameWriter::write_command(const ImDrawList& list, const ImDrawCmd& command) {
    const ImVec4& clip = command.ClipRect;
    if (command.UserCallback != nullptr) {
        if (!is_picture_command(command)) return;
        begin_clip(clip);
        svg_ += canvas_({clip.x, clip.y}, {clip.z, clip.w});
        end_clip();
        return;
    }
    const std::span indices(list.IdxBuffer.Data + command.IdxOffset, command.ElemCount);
    const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
    const bool is_cut = std::ranges::any_of(indices, [&](ImDrawIdx index) {
        const ImVec2 at = vertices[index].pos;
        return at.x < clip.x - 0.5F || at.x > clip.z + 0.5F || at.y < clip.y - 0.5F || at.y > clip.w + 0.5F;
    });
    if (is_cut)
        begin_clip(clip);
    else
        end_clip();
    for (std::size_t at = 0; at + 2 < indices.size();) {
        const std::vector<ImDrawVert> corners = next_shape(indices, vertices, at);
        const auto is_beside = [&](auto&& is_out) { return std::ranges::all_of(corners, is_out); };
        if (is_beside([&](const ImDrawVert& corner) { return corner.pos.x < clip.x; }) ||
            is_beside([&](const ImDrawVert& corner) { return corner.pos.x > clip.z; }) ||
            is_beside([&](const ImDrawVert& corner) { return corner.pos.y < clip.y; }) ||
            is_beside([&](const ImDrawVert& corner) { return corner.pos.y > clip.w; }))
            continue;
        write_shape(corners);
    }
    end_text();
    end_stroke();
}

void FrameWriter::write_shape(std::span<const ImDrawVert> corners) {
    if (corners.front().col >> IM_COL32_A_SHIFT == 0) return;
    if (go_on_with_text(corners) || go_on_with_stroke(corners)) return;
    end_text();
    end_stroke();
    svg_ += fmt::format("<path {} d=\"M", svg_paint("fill", corners.front().col));
    for (const ImDrawVert& corner : corners) svg_ += place(corner.pos) + ' ';
    svg_.back() = 'Z';
    svg_ += "\"/>\n";
}

/// Adds the shape to the current text if it is a letter, that is a rectangle that shows a glyph of the font texture;
/// otherwise returns false.
bool FrameWriter::go_on_with_text(std::span<const ImDrawVert> corners) {
    const ImDrawVert& corner = corners.front();
    if (corners.size() != 4 || (corner.uv.x == white_.x && corner.uv.y == white_.y)) return false;
    const std::optional<DrawnGlyph> glyph = glyphs_.find(corner.uv);
    if (!glyph) return false;
    end_stroke();
    const float scale = (corners[2].pos.y - corner.pos.y) / glyph->height_px;
    const float size_px = glyph->em_px * scale;
    const float left = corner.pos.x - glyph->left_px * scale;
    const float base_line = corner.pos.y + (glyph->ascent_px - glyph->top_px) * scale;
    const float space = glyph->space_px * scale;
    if (text_) {
        const float gap = left - text_->end;
        const bool goes_on = text_->colour == corner.col && is_near(text_->size_px, size_px) &&
                             std::abs(text_->base_line - base_line) < 1 && gap > -space / 2 && gap < k_max_spaces * space &&
                             text_->font.is_monospaced == glyph->is_monospaced;
        if (!goes_on) end_text();
    }
    if (!text_) text_ = TextRun{corner.col, *glyph, size_px, left, base_line, left, ""};
    text_->text.append(static_cast<std::size_t>(std::max(0L, std::lround((left - text_->end) / space))), ' ');
    append_utf8(text_->text, static_cast<std::uint32_t>(glyph->character));
    text_->end = left + glyph->advance_px * scale;
    return true;
}

/// Adds the shape to the current stroke if it is a thin rectangle, which is drawn as a line between the middles of its ends;
/// otherwise returns false.
bool FrameWriter::go_on_with_stroke(std::span<const ImDrawVert> corners) {
    if (corners.size() != 4) return false;
    const ImVec2 from = middle(corners[0].pos, corners[3].pos);
    const ImVec2 to = middle(corners[1].pos, corners[2].pos);
    const float width_px = distance(corners[0].pos, corners[3].pos);
    const bool is_line = width_px <= k_thickest_stroke_px && is_near(width_px, distance(corners[1].pos, corners[2].pos)) &&
                         distance(from, to) >= width_px;
    if (!is_line) return false;
    end_text();
    const bool goes_on = stroke_ && stroke_->colour == corners[0].col && is_near(stroke_->width_px, width_px) &&
                         distance(stroke_->points.back(), from) < k_same_place_px;
    if (!goes_on) {
        end_stroke();
        stroke_ = Stroke{corners[0].col, width_px, {from}};
    }
    stroke_->points.push_back(to);
    return true;
}

void FrameWriter::end_stroke() {
    if (!stroke_) return;
    svg_ += fmt::format("<path fill=\"none\" {} stroke-width=\"{}\" d=\"M", svg_paint("stroke", stroke_->colour),
                        svg_number(static_cast<double>(stroke_->width_px)));
    for (const ImVec2 point : stroke_->points) svg_ += place(point) + ' ';
    svg_.back() = '"';
    svg_ += "/>\n";
    stroke_.reset();
}

void FrameWriter::end_text() {
    if (!text_) return;
    const auto number = [](float value) { return svg_number(static_cast<double>(value)); };
    svg_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"{}\" textLength=\"{}\" {}>{}</text>\n",
                        number(text_->left), number(text_->base_line), number(text_->size_px),
                        text_->font.is_monospaced ? "mono" : "sans", number(text_->end - text_->left),
                        svg_paint("fill", text_->colour), xml_text(text_->text));
    text_.reset();
}

void FrameWriter::begin_clip(const ImVec4& rect) {
    const auto [at, is_new] = clips_.try_emplace({rect.x, rect.y, rect.z, rect.w}, static_cast<int>(clips_.size()));
    if (open_clip_ == at->second) return;
    end_clip();
    if (is_new) {
        svg_ +=
            fmt::format("<clipPath id=\"clip{}\"><path d=\"M{} {} {} {}Z\"/></clipPath>\n", at->second,
                        place({rect.x, rect.y}), place({rect.z, rect.y}), place({rect.z, rect.w}), place({rect.x, rect.w}));
    }
    svg_ += fmt::format("<g clip-path=\"url(#clip{})\">\n", at->second);
    open_clip_ = at->second;
}

void FrameWriter::end_clip() {
    end_text();
    end_stroke();
    if (open_clip_) svg_ += "</g>\n";
    open_clip_.reset();
}

}  // namespace

std::string svg_of_frame(const ImDrawData& frame, ImU32 ground, const std::string& title, const SvgCanvas& canvas) {
    const std::string width = svg_number(static_cast<double>(frame.DisplaySize.x));
    const std::string height = svg_number(static_cast<double>(frame.DisplaySize.y));
    return fmt::format(
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
               "<title>{2}</title>\n"
               "<style>text{{white-space:pre}}.mono{{font-family:'JetBrains Mono','DejaVu Sans Mono',monospace}}"
               ".sans{{font-family:Inter,'DejaVu Sans',sans-serif}}</style>\n"
               "<path {3} d=\"M0,0 {0},0 {0},{1} 0,{1}Z\"/>\n",
               width, height, xml_text(title), svg_paint("fill", ground)) +
           FrameWriter(frame, canvas).write() + "</svg>\n";
}

void use_plain_edges() {
    ImGuiStyle& style = ImGui::GetStyle();
    style.AntiAliasedFill = style.AntiAliasedLines = style.AntiAliasedLinesUseTex = false;
}

OffscreenInterface::OffscreenInterface(int width_px, int height_px, const Look& look) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {static_cast<float>(width_px), static_cast<float>(height_px)};
    io.DeltaTime = 1.0F / 60.0F;
    apply_look(look);
    ImGui_ImplOpenGL3_Init(render::gl::is_embedded_driver() ? "#version 300 es" : "#version 410 core");
}

OffscreenInterface::~OffscreenInterface() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
}

void OffscreenInterface::begin_frame() {
    ImGui_ImplOpenGL3_NewFrame();
    refresh_fonts();
    ImGui::NewFrame();
}

void OffscreenInterface::end_frame(const render::OffscreenFramebuffer& target) {
    ImGui::Render();
    target.bind();
    painter_.paint(target.width_px(), target.height_px(), Pixels::are_kept);
}

bool is_svg_path(const std::string& path) { return lower_case(std::filesystem::path(path).extension().string()) == ".svg"; }

Result<OffscreenRenderer> OffscreenRenderer::create(int width_px, int height_px, const Look& look, bool for_svg) {
    Result<OffscreenContext> context = OffscreenContext::create();
    if (!context) return context.error();
    Result<render::OffscreenFramebuffer> target = render::OffscreenFramebuffer::create(width_px, height_px);
    if (!target) return target.error();
    OffscreenRenderer offscreen{std::move(context).value(), std::move(target).value(),
                                std::make_unique<OffscreenInterface>(width_px, height_px, look)};
    if (for_svg) use_plain_edges();
    return offscreen;
}

void OffscreenRenderer::draw_captioned(float left, const std::string& caption,
                                       const std::function<void(float top, ImVec2 size)>& draw) const {
    interface->begin_frame();
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("picture", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings);
    draw_cut_text(ImGui::GetWindowDrawList(), {left, scaled(11)}, size.x, palette().text, caption);
    draw(ImGui::GetTextLineHeight() + scaled(14), size);
    ImGui::End();
    ImGui::PopStyleVar();
    interface->end_frame(target);
}

Status OffscreenRenderer::write_png(const std::string& path) const {
    return snapviewer::render::write_png(render::read_framebuffer(target.width_px(), target.height_px()), path);
}

Status OffscreenRenderer::write_svg(const std::string& path, const std::string& title, const SvgCanvas& canvas) const {
    return OutputFile::write_whole(path, svg_of_frame(*ImGui::GetDrawData(), palette().window, title, canvas));
}

}  // namespace snapviewer::picture
