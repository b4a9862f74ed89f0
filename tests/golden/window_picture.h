#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/features/timeline/pictures.h"
#include "app/picture/offscreen_renderer.h"
#include "app/shell/application.h"
#include "tests/golden/document_picture.h"

namespace snapviewer::golden {

/// Fixture for the application without a window: it draws its frames offscreen.
class WindowPicture : public DocumentPictureTest {
protected:
    void TearDown() override;
    /// Starts the application without a file. Skips with newer versions of ImGui, for whose widgets there are no pictures.
    void begin(int width_px, int height_px, const Look& look = {});
    /// Draws frames until nothing moves any more.
    void settle();
    void open_sample();
    void ask(Request request);
    /// Shows a page of the right column; `page` is a literal.
    void show(std::string_view page);
    Session& session() { return application_->session(); }
    template <typename Part>
    Part& feature() {
        return application_->feature<Part>();
    }
    /// Compares one panel, given by its ImGui name, so that a picture only shows the subject of its test.
    testing::AssertionResult panel_matches(const char* panel, const std::string& name);

private:
    std::optional<picture::OffscreenRenderer> offscreen_;
    std::unique_ptr<shell::Application> application_;
};

}  // namespace snapviewer::golden
