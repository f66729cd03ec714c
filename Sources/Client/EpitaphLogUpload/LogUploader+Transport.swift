// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension LogUploader {
    /// An uploader of rolled logs that sends with libcurl. It is independent of crashes, and
    /// consent to crash uploads does not apply: creating it sends the logs of `path`.
    ///
    /// - Parameters:
    ///   - path: of the directory; need not exist yet. A symbolic link is not followed.
    ///   - template: each log becomes the body of such a request; docs/logs.md.
    ///   - delegate: kept as long as the uploader.
    /// - Throws: if no file descriptor is left. libcurl is loaded for the first log; if it is
    ///   missing, `didFail` of the delegate says so.
    public convenience init(
        directory path: String, to template: Epitaph.RequestTemplate,
        options: Epitaph.LogUploadOptions = Epitaph.LogUploadOptions(),
        transport: Epitaph.TransportOptions = Epitaph.TransportOptions(),
        delegate: (any Epitaph.LogUploadDelegate & Sendable)? = nil
    ) throws(Epitaph.SystemError) {
        try self.init(
            directory: path, to: TemplateDestination(template), options: options,
            delegate: delegate
        ) { () throws(TransportError) in try CurlTransport(transport) }
    }
}
