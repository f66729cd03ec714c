// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents
import EpitaphValues

// Handled errors: docs/handled-errors.md. They are counted by the place of the caller.
extension Epitaph {
    /// Reports of handled errors, and the latest of them; nil if `Configuration.parts` has none or
    /// Epitaph does not run. Each report is also an event.
    public static var errors: ErrorReports? { phase.launch?.parts.errors }

    /// Reports an error and goes on, as `ErrorReports.trackError`.
    ///
    /// - Returns: the id that its report will have; nil if it gets no report of its own.
    @inline(never)
    @discardableResult
    public static func report(
        _ error: any Error, properties: [String: String] = [:],
        attachments: [ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Epitaph.ID? {
        errors?.trackError(
            error, properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads, fileID: fileID, line: line)
    }

    /// Reports an exception of another runtime and goes on, as `ErrorReports.trackException`.
    ///
    /// - Returns: the id that its report will have; nil if it gets no report of its own.
    @inline(never)
    @discardableResult
    public static func report(
        exception: ExceptionModel, properties: [String: String] = [:],
        attachments: [ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Epitaph.ID? {
        errors?.trackException(
            exception, properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads, fileID: fileID, line: line)
    }

    /// Reports that something happened, in the program's own words, and goes on, as
    /// `ErrorReports.trackMessage`.
    ///
    /// - Returns: the id that its report will have; nil if it gets no report of its own.
    @inline(never)
    @discardableResult
    public static func report(
        message: String, properties: [String: String] = [:],
        attachments: [ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Epitaph.ID? {
        errors?.trackMessage(
            message, properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads, fileID: fileID, line: line)
    }
}

extension HandledErrorNotice {
    /// As an event.
    var details: HandledErrorDetails {
        HandledErrorDetails(
            errorType: error.type, message: error.message, reportID: reportID, count: count,
            properties: error.properties.mapValues { .text($0) })
    }
}
