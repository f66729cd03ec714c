// SPDX-License-Identifier: Apache-2.0

import Events
import HandledErrors

// Errors that the program handles; docs/handled-errors.md. Each function passes on the place where
// it was called, because errors are counted by their place.
extension Epitaph {
    /// Reports of errors that the program handles, with the latest of them; nil if
    /// `Configuration.parts` has turned them off or Epitaph does not run.
    public var errors: ErrorReports? { phase.launch?.parts.errors }

    /// Reports an error and goes on, like `ErrorReports.trackError`, and records it as an event.
    ///
    /// - Returns: the id that its report will have; nil if it gets no report of its own.
    @inline(never)
    @discardableResult
    public func trackError(
        _ error: any Error, properties: [String: String] = [:],
        attachments: [ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> UUID? {
        guard let parts = phase.launch?.parts, let errors = parts.errors else { return nil }
        let report = errors.trackError(
            error, properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads, fileID: fileID, line: line)
        if parts.events != nil || parts.sessions != nil {
            parts.record(HandledError(error, properties: properties), report)
        }
        return report
    }

    /// Reports an exception of another runtime and goes on, like `ErrorReports.trackException`, and
    /// records it as an event.
    ///
    /// - Returns: the id its report will have; nil if it gets none of its own.
    @inline(never)
    @discardableResult
    public func trackException(
        _ exception: ExceptionModel, properties: [String: String] = [:],
        attachments: [ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> UUID? {
        guard let parts = phase.launch?.parts, let errors = parts.errors else { return nil }
        let report = errors.trackException(
            exception, properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads, fileID: fileID, line: line)
        if parts.events != nil || parts.sessions != nil {
            parts.record(
                HandledError(
                    type: exception.type, message: exception.message, properties: properties),
                report)
        }
        return report
    }

    /// Reports that something happened, in the program's own words, and goes on, as
    /// `ErrorReports.trackMessage`.
    ///
    /// - Returns: the id its report will have; nil if it gets none of its own.
    @inline(never)
    @discardableResult
    public func trackMessage(
        _ message: String, properties: [String: String] = [:],
        attachments: [ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> UUID? {
        errors?.trackMessage(
            message, properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads, fileID: fileID, line: line)
    }
}

extension RunningParts {
    /// As an event, which sessions count too.
    fileprivate func record(_ error: HandledError, _ report: UUID?) {
        record(
            .handledError(
                HandledErrorDetails(
                    errorType: error.type, message: error.message, reportID: report,
                    properties: error.properties.mapValues { .text($0) })))
        sessions?.noteHandledError()
    }
}
