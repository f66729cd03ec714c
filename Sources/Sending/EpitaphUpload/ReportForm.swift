// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// The form of a report: facts about its process as values, and the minidump as a file. Names and
/// precedence are those of Crashpad's uploader, which collectors know.
package struct ReportForm: Sendable {
    /// The minidump's own name in the form; an annotation of that name is not sent.
    package static let minidumpName = "upload_file_minidump"

    /// Values by name; always contains `guid`.
    package private(set) var values: [String: String] = [:]

    /// - Parameters:
    ///   - annotations: of equal names the first counts.
    ///   - messages: sent as `list_annotations`, one a line, in place of an annotation of that
    ///     name; and singly as `message`, `message_2` and so on, the names they have in the
    ///     minidump, for servers that show values by name.
    ///   - clientID: sent as `guid`, in place of an annotation of that name.
    package init(
        annotations: [Annotation] = [], messages: [CrashMessage] = [], clientID: Epitaph.ID
    ) {
        for annotation in annotations where values[annotation.name] == nil {
            values[annotation.name] = annotation.value
        }
        for (index, message) in messages.enumerated() {
            let name = index == 0 ? "message" : "message_\(index + 1)"
            if values[name] == nil { values[name] = message.text }
        }
        values[Self.minidumpName] = nil
        if !messages.isEmpty {
            values["list_annotations"] = messages.map(\.text).joined(separator: "\n")
        }
        values["guid"] = clientID.description
    }

    /// Identifies the report in the URL, so that a collector can sort requests without reading
    /// their bodies: `product`, `version` and `guid` from the values `prod`, `ver` and `guid`, if
    /// they exist.
    package var urlParameters: [(name: String, value: String)] {
        [("product", "prod"), ("version", "ver"), ("guid", "guid")].compactMap { name, key in
            values[key].map { (name, $0) }
        }
    }

    /// Without its files.
    package init(_ report: OutgoingReport) {
        self.init(
            annotations: report.annotations.map { Annotation(name: $0.key, value: $0.value) },
            messages: report.messages.map { CrashMessage(source: "", text: $0) },
            clientID: report.clientID)
    }

    package func multipart(minidump: StreamedBody.Piece, uuid: Epitaph.ID) -> MultipartForm {
        var form = MultipartForm()
        for (name, value) in values { form.set(name, to: value) }
        form.set(
            Self.minidumpName, to: minidump, filename: uuid.description + ".dmp")
        return form
    }

    package func multipart(minidump: BodyFile, uuid: Epitaph.ID) -> MultipartForm {
        multipart(minidump: .file(minidump), uuid: uuid)
    }
}
