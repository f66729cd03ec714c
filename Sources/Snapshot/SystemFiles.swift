// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Files of the kernel and the system, byte for byte as they were at the crash; nil for one that
/// was not captured.
public struct SystemFiles: Sendable, Equatable {
    /// /proc/self/maps
    public var maps: ByteSlice?
    /// /proc/self/status
    public var status: ByteSlice?
    /// /proc/self/auxv
    public var auxv: ByteSlice?
    /// /proc/self/limits
    public var limits: ByteSlice?
    /// /proc/cpuinfo
    public var cpuinfo: ByteSlice?
    /// /etc/os-release
    public var osRelease: ByteSlice?
    /// Other files, by path.
    public var others: [String: ByteSlice] = [:]

    public init() {}
}
