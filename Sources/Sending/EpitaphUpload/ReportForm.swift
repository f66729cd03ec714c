// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphMinidump
import EpitaphValues

/// The form of a report, as of Crashpad's uploader, which collectors know.
package struct ReportForm: Sendable {
    package static let minidumpName = ReportFacts.minidumpName

    package private(set) var values: [String: String] = [:]

    /// - Parameters:
    ///   - annotations: of equal names the first counts. One with a name that the form uses for
    ///     something else is sent as `program_NAME`.
    ///   - messages: sent as `list_annotations`, one a line; and singly as `message`, `message_2`
    ///     and so on, as in the minidump.
    ///   - clientID: sent as `guid`.
    package init(
        annotations: [Annotation] = [], messages: [CrashMessage] = [], clientID: Epitaph.ID
    ) {
        for annotation in annotations {
            let name = ReportFacts.formName(annotation.name)
            if values[name] == nil { values[name] = annotation.value }
        }
        for (index, message) in messages.enumerated() {
            values[ReportFacts.messageName(index)] = message.text
        }
        if !messages.isEmpty {
            values[ReportFacts.messageList] = messages.map(\.text).joined(separator: "\n")
        }
        values[ReportFacts.clientID] = clientID.description
    }

    /// Identifies the report in the URL, for collectors that sort requests without reading bodies:
    /// `product`, `version` and `guid` from the values `prod`, `ver` and `guid`, if they exist.
    package var urlParameters: [(name: String, value: String)] {
        [("product", "prod"), ("version", "ver"), ("guid", "guid")].compactMap { name, key in
            values[key].map { (name, $0) }
        }
    }

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
