SELECT 'a
b
c'