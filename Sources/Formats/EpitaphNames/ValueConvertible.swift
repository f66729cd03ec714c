// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// A possible value of an attribute or property: text, numbers and Bool in all of Swift's
    /// types. Conform your own types by giving their value.
    ///
    ///     Epitaph["tenant"] = request.tenant
    public protocol ValueConvertible {
        /// The value as stored in reports.
        var epitaphValue: Value { get }
    }
}

extension Epitaph.Value: Epitaph.ValueConvertible {
    public var epitaphValue: Epitaph.Value { self }
}

extension StringProtocol {
    public var epitaphValue: Epitaph.Value { .text(String(self)) }
}

extension String: Epitaph.ValueConvertible {}
extension Substring: Epitaph.ValueConvertible {}

extension Bool: Epitaph.ValueConvertible {
    public var epitaphValue: Epitaph.Value { .boolean(self) }
}

extension BinaryInteger {
    /// Numbers beyond 64 signed bits are clamped.
    public var epitaphValue: Epitaph.Value { .integer(Int64(clamping: self)) }
}

extension Int: Epitaph.ValueConvertible {}
extension Int8: Epitaph.ValueConvertible {}
extension Int16: Epitaph.ValueConvertible {}
extension Int32: Epitaph.ValueConvertible {}
extension Int64: Epitaph.ValueConvertible {}
extension UInt: Epitaph.ValueConvertible {}
extension UInt8: Epitaph.ValueConvertible {}
extension UInt16: Epitaph.ValueConvertible {}
extension UInt32: Epitaph.ValueConvertible {}
extension UInt64: Epitaph.ValueConvertible {}

extension BinaryFloatingPoint {
    public var epitaphValue: Epitaph.Value { .number(Double(self)) }
}

extension Double: Epitaph.ValueConvertible {}
extension Float: Epitaph.ValueConvertible {}
