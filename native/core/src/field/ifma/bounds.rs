//! Bounds that follow from the sequence of operations alone. With debug assertions every value carries its
//! [`Range`], each operation derives the range of its result and asserts that nothing overflows;
//! since ranges follow from the sequence of operations alone, a test that runs a sequence once
//! proves it for all values. Without debug assertions nothing of this is compiled.

/// Bounds of a number and of its limbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The number is at least that many times the unit: p of a number of 5 limbs, 2^260·p of
    /// one of 10 columns.
    pub low: f64,
    /// It is at most that many times the unit.
    pub high: f64,
    /// No limb is below.
    pub least: i128,
    /// No limb is above.
    pub most: i128,
}

/// A [`Range`] in builds with debug assertions, else nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    #[cfg(debug_assertions)]
    range: Range,
}

impl Bounds {
    /// These bounds.
    #[inline(always)]
    pub const fn new(range: Range) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = range;
        Self {
            #[cfg(debug_assertions)]
            range,
        }
    }

    /// Limbs of 52 bits, and a value of 0 to `high` units.
    #[inline(always)]
    pub const fn carried(high: f64) -> Self {
        Self::new(Range {
            low: 0.0,
            high,
            least: 0,
            most: (1 << 52) - 1,
        })
    }

    /// Bounds of a result of this value.
    #[inline(always)]
    pub fn map(self, derive: impl FnOnce(Range) -> Range) -> Self {
        #[cfg(debug_assertions)]
        return Self::new(derive(self.range));
        #[cfg(not(debug_assertions))]
        {
            let _ = derive;
            self
        }
    }

    /// Bounds of a result of two values.
    #[inline(always)]
    pub fn join(self, other: Self, derive: impl FnOnce(Range, Range) -> Range) -> Self {
        #[cfg(debug_assertions)]
        return Self::new(derive(self.range, other.range));
        #[cfg(not(debug_assertions))]
        {
            let _ = (other, derive);
            self
        }
    }

    /// Panics unless the range satisfies a condition.
    #[inline(always)]
    #[track_caller]
    pub fn require(self, condition: impl FnOnce(Range) -> bool) {
        #[cfg(debug_assertions)]
        assert!(condition(self.range), "out of bounds: {:?}", self.range);
        #[cfg(not(debug_assertions))]
        let _ = condition;
    }

    /// Bounds of a sum.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn add(self, other: Self) -> Self {
        self.join(other, |a, b| {
            Range {
                low: a.low + b.low,
                high: a.high + b.high,
                least: a.least + b.least,
                most: a.most + b.most,
            }
            .in_words()
        })
    }

    /// Bounds of a difference.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    pub fn sub(self, other: Self) -> Self {
        self.join(other, |a, b| {
            Range {
                low: a.low - b.high,
                high: a.high - b.low,
                least: a.least - b.most,
                most: a.most - b.least,
            }
            .in_words()
        })
    }

    /// Bounds of either of two values.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn either(self, other: Self) -> Self {
        self.join(other, |a, b| Range {
            low: a.low.min(b.low),
            high: a.high.max(b.high),
            least: a.least.min(b.least),
            most: a.most.max(b.most),
        })
    }
}

impl Range {
    /// Returns the range; panics when a limb may leave the signed words.
    #[track_caller]
    pub fn in_words(self) -> Self {
        let words = i128::from(i64::MIN)..=i128::from(i64::MAX);
        assert!(
            words.contains(&self.least) && words.contains(&self.most),
            "a limb may overflow: {self:?}"
        );
        self
    }

    /// The range with tighter bounds of the value.
    pub fn with_value(self, low: f64, high: f64) -> Self {
        Self { low, high, ..self }
    }
}
