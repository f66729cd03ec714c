// SPDX-License-Identifier: Apache-2.0

import ReportUpload

/// What can be chosen about the upload of logs.
public struct LogUploadOptions: Sendable {
    public var selection = LogSelection.standard
    public var limits = LogLimits()
    /// How long a file must stay as it is before it is sent, in seconds.
    public var settleSeconds = 5.0
    /// The directory is looked through at least this often, in seconds, even if nothing seems to
    /// happen: on a network file system the kernel hears nothing of other machines.
    public var lookSeconds = 60.0
    /// Of this only `retryInterval`, `retryLimit` and `retryBehaviour` count.
    public var retries = UploadLimits()

    public init() {}
}
