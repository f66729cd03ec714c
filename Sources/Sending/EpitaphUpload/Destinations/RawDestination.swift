// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A server that takes the minidump as the body of a request made from a template. It gets no
/// attachments, and annotations only inside the minidump.
package struct RawDestination: TemplateDestination {
    package var template: RequestTemplate

    package init(_ template: RequestTemplate) {
        self.template = template
    }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        try template.request(
            body: StreamedBody([try report.minidump.opened()]), type: .bytes,
            values: [
                .uuid: report.uuid.description,
                .client: report.clientID.description,
                .file: report.fileName,
                .product: report.annotations["prod"] ?? "unknown",
                .version: report.annotations["ver"] ?? "unknown",
            ])
    }

    package func serverID(in response: UploadResponse) -> String {
        if let id = JSONAnswer(response)?["id"] { return id.oneLine() }
        let text = response.text
        let isWord = text.utf8.count <= 128 && !text.contains(where: \.isWhitespace)
        return isWord && !text.hasPrefix("<") && !text.hasPrefix("{") ? text.oneLine() : ""
    }
}
